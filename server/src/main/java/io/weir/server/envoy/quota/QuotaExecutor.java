package io.weir.server.envoy.quota;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The single thread that computes quotas. With thousands of buckets the start of a period takes too
 * long for an event loop.
 */
public final class QuotaExecutor implements Executor, AutoCloseable {
  static final String NAME = "weir-quotas";

  /** Time limit for a running task on close; longer than all buckets take. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final Consumer<Throwable> errors;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, QuotaExecutor::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /**
   * Creates an executor; its thread starts with the first task.
   *
   * @param errors receives exceptions of tasks, which would be lost otherwise
   */
  public QuotaExecutor(Consumer<Throwable> errors) {
    this.errors = errors;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, NAME);
    thread.setDaemon(true);
    return thread;
  }

  /** Runs a task periodically, also after it failed. */
  public void every(Duration period, Runnable task) {
    long nanos = period.toNanos();
    thread.scheduleAtFixedRate(reportingErrors(task), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** Reports exceptions: otherwise they are lost in a future, and end a periodic task. */
  private Runnable reportingErrors(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        errors.accept(e);
      }
    };
  }

  /** Runs a task; discards it if this is closed. */
  @Override
  public void execute(Runnable task) {
    thread.execute(reportingErrors(task));
  }

  /** Waits up to 5 s for the running task, and discards all others. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      thread.awaitTermination(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
