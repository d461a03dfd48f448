package io.weir.redis;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells whoever is past the deadline.
 *
 * <p>All wait equally long, so the first to ask is the first to be late, and a queue in the order
 * of asking is all it takes. For the same reason it may sleep for a whole timeout when nobody
 * waits: whoever asks meanwhile is not late before it wakes. It does not sleep long all the same,
 * so that those who were answered are soon forgotten.
 */
final class Deadlines implements AutoCloseable {
  private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ConcurrentLinkedQueue<Ask> asked = new ConcurrentLinkedQueue<>();
  private final long timeoutNanos;
  private final Thread thread;
  private volatile boolean closed;

  Deadlines(Duration timeout) {
    this.timeoutNanos = timeout.toNanos();
    this.thread = new Thread(this::watch, "weir-redis-deadlines");
    thread.setDaemon(true);
    thread.start();
  }

  /** A call that begins now. */
  Ask ask(NodeWatch node, Script script, byte[][] keys, byte[] args) {
    Ask ask = new Ask(node, script, keys, args, System.nanoTime());
    asked.add(ask);
    return ask;
  }

  /** How long everybody waits. */
  long timeoutNanos() {
    return timeoutNanos;
  }

  private void watch() {
    while (!closed) {
      long nobodyIsLateFor = tellWhoIsLate(System.nanoTime());
      LockSupport.parkNanos(this, Math.min(nobodyIsLateFor, LONGEST_SLEEP_NANOS));
    }
    for (Ask ask = asked.poll(); ask != null; ask = asked.poll()) {
      ask.fail(Unanswered.away("the store is closed"));
    }
  }

  /** Tells everybody who is late; returns how long nobody else can be. */
  private long tellWhoIsLate(long nowNanos) {
    for (Ask first = asked.peek(); first != null; first = asked.peek()) {
      if (!first.isDone()) {
        long left = timeoutNanos - first.age(nowNanos);
        if (left > 0) {
          return left;
        }
        first.fail(Unanswered.late());
      }
      asked.poll();
    }
    return timeoutNanos;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
