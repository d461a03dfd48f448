package io.weir.server.envoy.quota;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The one thread on which quotas are worked out: with thousands of buckets a period's beginning
 * takes longer than an event loop may be kept from requests.
 */
public final class QuotaExecutor implements Executor, AutoCloseable {
  static final String NAME = "weir-quotas";

  /** Longer than all buckets take. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Consumer<Throwable> faults;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, QuotaExecutor::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /**
   * A thread that starts when there is something to do.
   *
   * @param faults hears of what is thrown there, as nobody else would
   */
  public QuotaExecutor(Consumer<Throwable> faults) {
    this.faults = faults;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, NAME);
    thread.setDaemon(true);
    return thread;
  }

  /** Does something again and again, whatever comes of it. */
  public void every(Duration period, Runnable task) {
    long nanos = period.toNanos();
    thread.scheduleAtFixedRate(sheltered(task), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** What a task throws would be kept in a future that nobody asks, and end a periodic one. */
  private Runnable sheltered(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        faults.accept(e);
      }
    };
  }

  /** Does something soon, unless it is closed. */
  @Override
  public void execute(Runnable task) {
    thread.execute(sheltered(task));
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
