package io.weir.redis;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Listens to how late this machine is: threads that want to sleep a moment, again and again, and
 * note by how much they were overslept. No deadline can be kept better than that. Several hear more
 * than one, as a processor that is taken away hits whoever happens to be on it.
 */
final class Noise implements AutoCloseable {
  private static final long NAP_NANOS = 2_000_000;

  /** One nap, and how long after its end the sleeper was awake. */
  private record Nap(long begun, long awake) {
    long lateNanos() {
      return Math.max(0, awake - begun - NAP_NANOS);
    }

    boolean touches(long from, long until) {
      return begun < until && awake > from;
    }
  }

  private final Queue<Nap> naps = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads;
  private volatile boolean closed;

  Noise() {
    this(1);
  }

  Noise(int listeners) {
    this.threads =
        IntStream.range(0, listeners)
            .mapToObj(n -> new Thread(this::listen, "noise-" + n))
            .toList();
    threads.forEach(
        thread -> {
          thread.setDaemon(true);
          thread.start();
        });
  }

  private void listen() {
    while (!closed) {
      long before = System.nanoTime();
      LockSupport.parkNanos(NAP_NANOS);
      naps.add(new Nap(before, System.nanoTime()));
    }
  }

  private LongStream micros(long from, long until) {
    return naps.stream()
        .filter(nap -> nap.touches(from, until))
        .mapToLong(nap -> nap.lateNanos() / 1000);
  }

  /** The longest that anything had to wait for a processor between two moments. */
  long worstMicros(long from, long until) {
    return micros(from, until).max().orElse(0);
  }

  /** How late one nap in a hundred was, at least, between two moments. */
  long p99Micros(long from, long until) {
    long[] sorted = micros(from, until).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * 0.99)];
  }

  /** The longest so far. */
  long worstMicros() {
    return worstMicros(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** How late one nap in a hundred was so far, at least. */
  long p99Micros() {
    return p99Micros(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(LockSupport::unpark);
  }
}
