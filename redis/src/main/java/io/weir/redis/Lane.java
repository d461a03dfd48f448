package io.weir.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The queue before one node. Callers that come while calls are under way share the next one, so
 * that a busy node does less work per decision; a caller who comes alone goes at once and waits for
 * nobody.
 *
 * <pre>
 *   ask ─► under way &lt; {@value #DEPTH}? ── yes ─► send now
 *                 │ no
 *                 ▼
 *              waiting ── an answer came ─► send up to {@value #SHARED_KEYS} keys in one call
 * </pre>
 *
 * <p>The queue is bounded, and whoever is past the deadline, waiting or under way, is told so.
 */
final class Lane {
  private static final int DEPTH = 4;
  private static final int SHARED_KEYS = 32;
  private static final int MAX_WAITING = 10_000;

  /** Sends asks as one script call. */
  interface Wire {
    CompletionStage<byte[]> send(byte[][] keys, byte[] args);
  }

  private final Wire wire;
  private final ArrayDeque<Ask> waiting = new ArrayDeque<>();
  private final ArrayDeque<List<Ask>> underWay = new ArrayDeque<>();

  Lane(Wire wire) {
    this.wire = wire;
  }

  void submit(Ask ask) {
    List<Ask> batch;
    synchronized (this) {
      if (waiting.size() >= MAX_WAITING) {
        batch = null;
      } else {
        waiting.add(ask);
        batch = underWay.size() < DEPTH ? nextBatch() : List.of();
      }
    }
    if (batch == null) {
      ask.fail("queue full");
    } else if (!batch.isEmpty()) {
      send(batch);
    }
  }

  private @Nullable List<Ask> nextBatch() {
    List<Ask> batch = new ArrayList<>();
    int keys = 0;
    while (!waiting.isEmpty()
        && (batch.isEmpty() || keys + waiting.peek().keys.length <= SHARED_KEYS)) {
      Ask ask = waiting.poll();
      if (!ask.answer.isDone()) {
        keys += ask.keys.length;
        batch.add(ask);
      }
    }
    if (!batch.isEmpty()) {
      underWay.add(batch);
    }
    return batch;
  }

  private void send(List<Ask> batch) {
    int keyCount = 0;
    int size = 0;
    for (Ask ask : batch) {
      keyCount += ask.keys.length;
      size += ask.args.length;
    }
    byte[][] keys = new byte[keyCount][];
    ByteBuffer args = ByteBuffer.allocate(size);
    int at = 0;
    for (Ask ask : batch) {
      for (byte[] key : ask.keys) {
        keys[at++] = key;
      }
      args.put(ask.args);
    }
    wire.send(keys, args.array())
        .whenComplete(
            (answer, problem) -> {
              done(batch);
              if (problem == null) {
                share(batch, answer);
              } else {
                String reason = String.valueOf(problem.getMessage());
                batch.forEach(ask -> ask.fail(reason));
              }
            });
  }

  private void done(List<Ask> batch) {
    List<Ask> next = List.of();
    synchronized (this) {
      underWay.remove(batch);
      if (!waiting.isEmpty() && underWay.size() < DEPTH) {
        next = nextBatch();
      }
    }
    if (!next.isEmpty()) {
      send(next);
    }
  }

  /** Gives every ask its part of the answer, with the time before it. */
  private static void share(List<Ask> batch, byte[] answer) {
    if (batch.size() == 1) {
      batch.get(0).answer.complete(answer);
      return;
    }
    int at = Double.BYTES;
    for (Ask ask : batch) {
      int size = ask.keys.length * Answer.BYTES;
      ByteBuffer own = ByteBuffer.allocate(Double.BYTES + size).order(ByteOrder.LITTLE_ENDIAN);
      own.put(answer, 0, Double.BYTES).put(answer, at, size);
      ask.answer.complete(own.array());
      at += size;
    }
  }

  /** Tells everybody who is past the deadline. */
  void expire(long nowNanos) {
    List<Ask> late = new ArrayList<>();
    synchronized (this) {
      while (!waiting.isEmpty() && waiting.peek().deadlineNanos - nowNanos <= 0) {
        late.add(waiting.poll());
      }
      for (Iterator<List<Ask>> batches = underWay.iterator(); batches.hasNext(); ) {
        List<Ask> batch = batches.next();
        Ask last = batch.get(batch.size() - 1);
        batch.stream().filter(ask -> ask.deadlineNanos - nowNanos <= 0).forEach(late::add);
        if (last.deadlineNanos - nowNanos <= 0) {
          batches.remove();
        }
      }
    }
    late.forEach(ask -> ask.fail("deadline"));
  }
}
