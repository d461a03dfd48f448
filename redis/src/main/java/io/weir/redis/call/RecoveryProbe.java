package io.weir.redis.call;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Asks a node that calls are kept from whether it answers again: a tenth of a second after that
 * began, and then about once a second; and as soon as there is a new connection. The question does
 * all that calls do, to a key of its own, so that a node that answers it can serve calls again. A
 * node that answers too late is asked again sooner.
 *
 * <p>A node that comes and goes is given longer each time, up to about two seconds, and a new
 * connection to it changes nothing: callers do not follow it to and fro.
 */
public final class RecoveryProbe {
  private static final long FIRST_WAIT_MILLIS = 100;
  private static final long LATE_WAIT_MILLIS = 250;
  private static final long LONGEST_WAIT_MILLIS = 1000;
  private static final long LONGEST_FIRST_WAIT_MILLIS = 2000;

  /** A node that stays for so long did not just come and go. */
  public static final Duration STAYS = Duration.ofSeconds(10);

  private static final long STAYS_MICROS = STAYS.toMillis() * 1000;

  /** Asks the node; completes normally if it could serve calls. */
  public interface Probe {
    CompletionStage<?> probe();
  }

  /** Does something later. */
  public interface Timer {
    void schedule(long millis, Runnable task);

    /** A timer that forgets what it was told once it is shut down. */
    static Timer on(ScheduledExecutorService executor) {
      return (millis, task) -> {
        try {
          executor.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
          // The store is closed, and nobody asks any more.
        }
      };
    }
  }

  private final NodeHealth.Context circle;
  private final Probe check;
  private final NodeHealth node;
  private long firstWait = FIRST_WAIT_MILLIS;
  private long backMicros;

  /** Whether it had been back for a short time only when calls were kept away. */
  private boolean comesAndGoes;

  /** Which time this is that calls are kept away; the one before is over. */
  private int time;

  RecoveryProbe(NodeHealth.Context circle, Probe check, NodeHealth node) {
    this.circle = circle;
    this.check = check;
    this.node = node;
    this.backMicros = circle.time().micros() - 2 * STAYS_MICROS;
  }

  /** Calls are kept away from now on. */
  synchronized void begin() {
    comesAndGoes = circle.time().micros() - backMicros <= STAYS_MICROS;
    firstWait =
        comesAndGoes ? Math.min(2 * firstWait, LONGEST_FIRST_WAIT_MILLIS) : FIRST_WAIT_MILLIS;
    probeLater(firstWait, ++time);
  }

  /** Calls are let through again. */
  synchronized void end() {
    backMicros = circle.time().micros();
  }

  /** There is a new connection. */
  void onConnect() {
    if (!isFlapping()) {
      probe();
    }
  }

  private synchronized boolean isFlapping() {
    return comesAndGoes;
  }

  private void probeLater(long wait, int inTime) {
    long jitter = ThreadLocalRandom.current().nextLong(wait / 5 + 1);
    circle
        .timer()
        .schedule(
            wait + jitter,
            () -> {
              if (!node.isClosed() && node.isOpen() && isTime(inTime)) {
                probeLater(Math.min(2 * wait, Math.max(wait, LONGEST_WAIT_MILLIS)), inTime);
                probe();
              }
            });
  }

  private synchronized boolean isTime(int which) {
    return which == time;
  }

  /** A node that answers, though late, is likely to be back soon: the pauses begin anew. */
  private synchronized void probeSooner(int inTime) {
    if (inTime == time && !comesAndGoes) {
      probeLater(LATE_WAIT_MILLIS, ++time);
    }
  }

  private synchronized int now() {
    return time;
  }

  /**
   * Asks now, unless nobody cares any more. An answer that comes later than a call would wait for
   * it is none, unless that is because this process did not run.
   */
  private void probe() {
    if (node.isClosed()) {
      return;
    }
    long asked = circle.time().micros();
    int inTime = now();
    CompletionStage<?> answer;
    try {
      answer = check.probe();
    } catch (RuntimeException e) {
      return; // as if there were no answer
    }
    answer.whenComplete(
        (said, problem) -> {
          if (problem != null) {
            return;
          }
          long took = 1000 * (circle.time().micros() - asked);
          if (took - circle.lag().within(took) <= circle.timeoutNanos()) {
            node.onRecovery();
          } else {
            probeSooner(inTime);
          }
        });
  }
}
