package io.weir.redis.call;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Probes a node whose breaker is open: 100 ms after it opened, then about once a second, and as
 * soon as there is a new connection. The probe does everything that calls do, on its own key, so a
 * node that answers it can serve calls again. A node that answers too late is probed again after
 * 250 ms.
 *
 * <p>For a flapping node the first wait doubles each time, up to about 2 s, and a new connection
 * does not trigger a probe: calls do not follow the node back and forth.
 */
public final class RecoveryProbe {
  private static final long FIRST_WAIT_MILLIS = 100;
  private static final long LATE_WAIT_MILLIS = 250;
  private static final long MAX_WAIT_MILLIS = 1000;
  private static final long MAX_FIRST_WAIT_MILLIS = 2000;

  /** A node that stays up this long is not flapping. */
  public static final Duration STABLE_AFTER = Duration.ofSeconds(10);

  private static final long STABLE_MICROS = STABLE_AFTER.toMillis() * 1000;

  /** Sends the probe; completes normally if the node could serve calls. */
  public interface Probe {
    CompletionStage<?> probe();
  }

  /** Runs tasks later. */
  public interface Timer {
    void schedule(long millis, Runnable task);

    /** A timer on an executor. Tasks are dropped once the executor is shut down. */
    static Timer on(ScheduledExecutorService executor) {
      return (millis, task) -> {
        try {
          executor.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
          // The store is closed; no probe is needed.
        }
      };
    }
  }

  private final NodeHealth.Context context;
  private final Probe probe;
  private final NodeHealth node;
  private long firstWait = FIRST_WAIT_MILLIS;
  private long recoveredMicros;

  /** Whether the node had been back for a short time only when the breaker opened. */
  private boolean flapping;

  /** Number of the current series of probes; tasks of an earlier series do nothing. */
  private int series;

  RecoveryProbe(NodeHealth.Context context, Probe probe, NodeHealth node) {
    this.context = context;
    this.probe = probe;
    this.node = node;
    this.recoveredMicros = context.time().micros() - 2 * STABLE_MICROS;
  }

  /** The breaker opened. */
  synchronized void begin() {
    flapping = context.time().micros() - recoveredMicros <= STABLE_MICROS;
    firstWait = flapping ? Math.min(2 * firstWait, MAX_FIRST_WAIT_MILLIS) : FIRST_WAIT_MILLIS;
    probeLater(firstWait, ++series);
  }

  /** The breaker closed. */
  synchronized void end() {
    recoveredMicros = context.time().micros();
  }

  /** There is a new connection. */
  void onConnect() {
    if (!isFlapping()) {
      probe();
    }
  }

  private synchronized boolean isFlapping() {
    return flapping;
  }

  private void probeLater(long wait, int ofSeries) {
    long jitter = ThreadLocalRandom.current().nextLong(wait / 5 + 1);
    context
        .timer()
        .schedule(
            wait + jitter,
            () -> {
              if (!node.isClosed() && node.isOpen() && isCurrent(ofSeries)) {
                probeLater(Math.min(2 * wait, Math.max(wait, MAX_WAIT_MILLIS)), ofSeries);
                probe();
              }
            });
  }

  private synchronized boolean isCurrent(int which) {
    return which == series;
  }

  /** A node that answers, though late, is likely to recover soon: the waits start over. */
  private synchronized void probeSooner(int ofSeries) {
    if (ofSeries == series && !flapping) {
      probeLater(LATE_WAIT_MILLIS, ++series);
    }
  }

  private synchronized int currentSeries() {
    return series;
  }

  /**
   * Probes now, unless the node was removed. A reply that takes longer than the timeout does not
   * count, unless this process was not scheduled in the meantime.
   */
  private void probe() {
    if (node.isClosed()) {
      return;
    }
    long sent = context.time().micros();
    int ofSeries = currentSeries();
    CompletionStage<?> answer;
    try {
      answer = probe.probe();
    } catch (RuntimeException e) {
      return; // as if there were no reply
    }
    answer.whenComplete(
        (reply, problem) -> {
          if (problem != null) {
            return;
          }
          long took = 1000 * (context.time().micros() - sent);
          if (took - context.lag().within(took) <= context.timeoutNanos()) {
            node.onRecovery();
          } else {
            probeSooner(ofSeries);
          }
        });
  }
}
