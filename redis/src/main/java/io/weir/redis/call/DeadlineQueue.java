package io.weir.redis.call;

import io.weir.redis.script.Script;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Fails calls that are past their deadline.
 *
 * <p>All calls have the same timeout, so they expire in the order in which they started, and a FIFO
 * queue is enough. For the same reason the thread may sleep for a whole timeout if the queue is
 * empty: no call that arrives meanwhile expires before it wakes. It sleeps at most 10 ms all the
 * same, so that answered calls leave the queue soon.
 *
 * <p>Completing a call runs code of its caller, which may block or wait for another decision. So
 * completions run on a pool of threads: on one thread as long as it makes progress; the calls
 * behind a caller that blocks are completed by another thread.
 */
public final class DeadlineQueue implements AutoCloseable {
  private static final long MAX_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ConcurrentLinkedQueue<PendingCall> pending = new ConcurrentLinkedQueue<>();

  /** Calls that are late and have not been completed yet. */
  private final ConcurrentLinkedQueue<PendingCall> late = new ConcurrentLinkedQueue<>();

  private final long timeoutNanos;
  private final SchedulingLag.Sleeper sleeper;
  private final Thread thread;
  private final ExecutorService completions =
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

  /** Creates a call that starts now. */
  public PendingCall enqueue(
      NodeHealth node, CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    PendingCall call = new PendingCall(node, purpose, script, keys, args, System.nanoTime());
    pending.add(call);
    return call;
  }

  /** The timeout of every call. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  private void watch() {
    while (!closed) {
      long untilNextLate = findLateCalls(System.nanoTime());
      if (!late.isEmpty()) {
        executeCompletion(this::failLateCalls);
      }
      long sleep = Math.min(untilNextLate, MAX_SLEEP_NANOS);
      sleeper.sleeps(sleep);
      LockSupport.parkNanos(this, sleep);
      sleeper.wakes();
    }
    executeCompletion(this::failLateCalls);
    executeCompletion(() -> pending.forEach(call -> call.fail(NoAnswerException.closed())));
    completions.shutdown();
  }

  /** Moves late calls to {@link #late}; returns the time in ns until the next call can be late. */
  private long findLateCalls(long nowNanos) {
    long left = timeoutNanos;
    for (PendingCall first = pending.peek(); first != null; first = pending.peek()) {
      if (!first.isDone()) {
        left = timeoutNanos - first.age(nowNanos);
        if (left > 0) {
          break;
        }
        late.add(first);
      }
      pending.poll();
    }
    return left > 0 ? left : timeoutNanos;
  }

  private void failLateCalls() {
    for (PendingCall next = late.poll(); next != null; next = late.poll()) {
      next.fail(NoAnswerException.timeout());
    }
  }

  private void executeCompletion(Runnable completion) {
    try {
      completions.execute(completion);
    } catch (OutOfMemoryError e) { // no more threads can be created
      completion.run();
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
