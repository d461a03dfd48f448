package io.weir.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Copies bytes in one direction between two sockets, in order, each after a delay.
 *
 * <p>One thread reads and records when each chunk is due; another writes it at that time. With a
 * single thread the delay of a chunk would also hold up the reading of the next, and add to its
 * delay.
 */
final class DelayedCopy {
  private static final int CHUNK_BYTES = 16 * 1024;
  private static final int CHUNKS_UNDER_WAY = 1024;

  /** An empty chunk marks the end of the stream. */
  private record Chunk(long dueNanos, ByteBuffer bytes) {}

  private final BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS_UNDER_WAY);
  private final Socket from;
  private final Socket to;
  private final Supplier<Duration> delay;
  private final PauseGate gate;
  private final BooleanSupplier loses;
  private final Thread reader;
  private final Thread writer;

  /** The owner decides what happens to a broken connection. */
  DelayedCopy(
      Socket from,
      Socket to,
      Supplier<Duration> delay,
      PauseGate gate,
      BooleanSupplier loses,
      Runnable onBroken) {
    this.from = from;
    this.to = to;
    this.delay = delay;
    this.gate = gate;
    this.loses = loses;
    this.reader = daemon("weir-proxy-read", this::readAll, onBroken);
    this.writer = daemon("weir-proxy-write", this::writeAll, onBroken);
  }

  void start() {
    reader.start();
    writer.start();
  }

  void stop() {
    reader.interrupt();
    writer.interrupt();
  }

  private void readAll() throws IOException, InterruptedException {
    InputStream in = from.getInputStream();
    byte[] buffer = new byte[CHUNK_BYTES];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      send(ByteBuffer.wrap(Arrays.copyOf(buffer, read)));
    }
    send(ByteBuffer.allocate(0));
  }

  private void send(ByteBuffer bytes) throws InterruptedException {
    underWay.put(new Chunk(System.nanoTime() + delay.get().toNanos(), bytes));
  }

  private void writeAll() throws IOException, InterruptedException {
    for (Chunk chunk = underWay.take(); ; chunk = underWay.take()) {
      TimeUnit.NANOSECONDS.sleep(chunk.dueNanos() - System.nanoTime());
      gate.pass();
      if (!chunk.bytes().hasRemaining()) {
        throw new IOException("the sender closed");
      }
      if (!loses.getAsBoolean()) {
        to.getOutputStream().write(chunk.bytes().array());
      }
    }
  }

  private interface CopyTask {
    void run() throws IOException, InterruptedException;
  }

  private static Thread daemon(String name, CopyTask work, Runnable onBroken) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException broken) {
                onBroken.run();
              }
            },
            name);
    thread.setDaemon(true);
    return thread;
  }
}
