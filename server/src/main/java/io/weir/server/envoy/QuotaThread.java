package io.weir.server.envoy;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one thread on which quotas are worked out: with thousands of buckets a period's beginning
 * takes longer than an event loop may be kept from requests.
 */
public final class QuotaThread implements Executor, AutoCloseable {
  static final String NAME = "weir-quotas";

  /** Longer than all buckets take. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, QuotaThread::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /** A thread that starts when there is something to do. */
  public QuotaThread() {
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, NAME);
    thread.setDaemon(true);
    return thread;
  }

  /** Does something again and again; it must not throw. */
  public void every(Duration period, Runnable task) {
    thread.scheduleAtFixedRate(task, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Does something soon, unless it is closed. */
  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Finishes what is being done, and does nothing more. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      thread.awaitTermination(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
