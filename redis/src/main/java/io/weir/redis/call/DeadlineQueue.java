package io.weir.redis.call;

import io.weir.redis.script.Script;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells whoever is past the deadline.
 *
 * <p>All wait equally long, so the first to ask is the first to be late, and a queue in the order
 * of asking is all it takes. For the same reason it may sleep for a whole timeout when nobody
 * waits: whoever asks meanwhile is not late before it wakes. It does not sleep long all the same,
 * so that those who were answered are soon forgotten.
 *
 * <p>What callers do when they are told is theirs, and may take long or wait for another decision.
 * So they are told by threads of their own: by one for as long as that gets on, and whoever waits
 * behind a caller who does not is soon told by another.
 */
public final class DeadlineQueue implements AutoCloseable {
  private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ConcurrentLinkedQueue<PendingCall> asked = new ConcurrentLinkedQueue<>();

  /** Those who are late and were not told yet. */
  private final ConcurrentLinkedQueue<PendingCall> late = new ConcurrentLinkedQueue<>();

  private final long timeoutNanos;
  private final SchedulingLag.Sleeper sleeper;
  private final Thread thread;
  private final ExecutorService tellers =
      Executors.newCachedThreadPool(task -> daemon(task, "weir-redis-late"));
  private volatile boolean closed;

  DeadlineQueue(Duration timeout) {
    this(timeout, new SchedulingLag());
  }

  public DeadlineQueue(Duration timeout, SchedulingLag lag) {
    this.sleeper = lag.sleeper();
    this.timeoutNanos = timeout.toNanos();
    this.thread = daemon(this::watch, "weir-redis-deadlines");
    thread.start();
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A call that begins now. */
  public PendingCall enqueue(
      NodeHealth node, CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    PendingCall ask = new PendingCall(node, purpose, script, keys, args, System.nanoTime());
    asked.add(ask);
    return ask;
  }

  /** How long everybody waits. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  private void watch() {
    while (!closed) {
      long nobodyIsLateFor = findLateCalls(System.nanoTime());
      if (!late.isEmpty()) {
        executeCompletion(this::failLateCalls);
      }
      long sleep = Math.min(nobodyIsLateFor, LONGEST_SLEEP_NANOS);
      sleeper.sleeps(sleep);
      LockSupport.parkNanos(this, sleep);
      sleeper.wakes();
    }
    executeCompletion(this::failLateCalls);
    executeCompletion(() -> asked.forEach(ask -> ask.fail(NoAnswerException.closed())));
    tellers.shutdown();
  }

  /** Finds everybody who is late; returns how long nobody else can be. */
  private long findLateCalls(long nowNanos) {
    long left = timeoutNanos;
    for (PendingCall first = asked.peek(); first != null; first = asked.peek()) {
      if (!first.isDone()) {
        left = timeoutNanos - first.age(nowNanos);
        if (left > 0) {
          break;
        }
        late.add(first);
      }
      asked.poll();
    }
    return left > 0 ? left : timeoutNanos;
  }

  private void failLateCalls() {
    for (PendingCall next = late.poll(); next != null; next = late.poll()) {
      next.fail(NoAnswerException.timeout());
    }
  }

  private void executeCompletion(Runnable telling) {
    try {
      tellers.execute(telling);
    } catch (OutOfMemoryError e) { // there can be no more threads
      telling.run();
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
