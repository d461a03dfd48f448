package io.weir.redis.link;

import io.weir.redis.script.StoreClock;
import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's clock as this instance knows it: the monotonic clock here, plus the offset to the node's
 * that is measured with every heartbeat.
 *
 * <p>An answer gives the node's time at some moment between request and response. The middle is the
 * best guess, and off by at most half the round trip. So the sample with the smallest round trip of
 * the last {@value #KEPT} is used. Until there is one, and where a node refuses {@code TIME}, the
 * wall clock stands in.
 *
 * <p>Samples whose errors cannot explain their difference show that the clock stepped. The old ones
 * are dropped at once. But instances measure at different moments, and a bucket that is served by
 * two clocks refills with every change from one to the other. So no instance takes a step alone:
 *
 * <pre>
 *   node    ────────┤step by S├──────────────────────────┤X├──────
 *   first   old ──────── measured: writes X = now + 3 s ──┤ new ──
 *   second  old ───────────────── measured: reads X ──────┤ new ──
 *   started          measures, reads X, S: new − S ───────┤ new ──
 * </pre>
 *
 * <p>All go by the old clock until X, which is a time on the new one, and by the new clock from
 * there. Only calls that were in flight at X are out of step, for one round trip.
 */
final class OffsetClock implements StoreClock {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetClock.class);
  private static final int KEPT = 10;
  private static final long WORTH_A_LINE_MICROS = 1_000_000;

  /**
   * Up to here clocks that run at different speeds explain a difference. It is followed at once.
   */
  private static final long DRIFT_MICROS = 10_000;

  private static final long NEVER = Long.MAX_VALUE;

  /** The offset in force, and the one that follows it at a moment of the monotonic clock. */
  private record OffsetSchedule(long offset, long next, long nextAt) {
    static OffsetSchedule of(long offset) {
      return new OffsetSchedule(offset, offset, NEVER);
    }

    long at(long micros) {
      return micros >= nextAt ? next : offset;
    }
  }

  private final TimeSource time;
  private final long[] offsets = new long[KEPT];
  private final long[] roundTrips = new long[KEPT];
  private int measured;
  private volatile @Nullable OffsetSchedule reading;

  /** The step that is to be taken; null if there is none. */
  private @Nullable ClockStep pending;

  OffsetClock(TimeSource time) {
    this.time = time;
  }

  /**
   * Asks a node for its time, and the fleet for its step if there is one. Completes in any case; a
   * node that refuses changes nothing.
   */
  CompletionStage<Void> measure(NodeClock node) {
    long asked = time.micros();
    return node.time()
        .thenCompose(
            parts ->
                parts.size() == 2 && measured(asked, time.micros(), micros(parts))
                    ? agree(node)
                    : CompletableFuture.<Void>completedFuture(null))
        .exceptionally(problem -> null);
  }

  /**
   * As {@link #measure}, where the node may be another than before: after a failover the clock is
   * that of another machine. Earlier samples do not count any more once this is answered.
   */
  CompletionStage<Void> measureAnew(NodeClock node) {
    forget();
    return measure(node);
  }

  private synchronized void forget() {
    measured = 0;
  }

  private static long micros(List<byte[]> parts) {
    return number(parts.get(0)) * 1_000_000 + number(parts.get(1));
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /**
   * Adds a sample.
   *
   * @return whether the fleet's step is of interest: there is one here, or this is the first sample
   */
  private synchronized boolean measured(long asked, long heard, long node) {
    long roundTrip = heard - asked;
    long offset = node - (asked + roundTrip / 2);
    boolean first = measured == 0;
    boolean step = !first && isStep(offset, roundTrip, best());
    if (step) {
      measured = 0;
    }
    int at = measured++ % KEPT;
    roundTrips[at] = roundTrip;
    offsets[at] = offset;
    follow(offsets[best()], heard, step || (pending != null && !first));
    return first || pending != null;
  }

  private boolean isStep(long offset, long roundTrip, int best) {
    return Math.abs(offset - offsets[best]) > (roundTrip + roundTrips[best]) / 2 + 1;
  }

  /** The sample with the smallest round trip. */
  private int best() {
    int best = 0;
    for (int i = 1; i < Math.min(measured, KEPT); i++) {
      best = roundTrips[i] < roundTrips[best] ? i : best;
    }
    return best;
  }

  /** Goes by this offset: at once, or when the fleet does. */
  private void follow(long offset, long now, boolean step) {
    OffsetSchedule known = reading;
    long before = known == null ? offset : known.at(now);
    if (!step || Math.abs(offset - before) <= DRIFT_MICROS) {
      pending = null;
      reading = OffsetSchedule.of(offset);
      return;
    }
    long nodeNow = now + offset;
    ClockStep planned = pending;
    if (planned == null || !planned.isOf(nodeNow)) {
      planned = new ClockStep(nodeNow + ClockStep.DELAY_MICROS, offset - before);
      log(planned);
    }
    take(planned, before, offset);
  }

  private static void log(ClockStep step) {
    if (Math.abs(step.byMicros()) >= WORTH_A_LINE_MICROS) {
      String seconds = String.format(Locale.ROOT, "%+.1f", step.byMicros() / 1e6);
      LOG.warn("the clock of Redis stepped by {} s; instances follow it together in 3 s", seconds);
    }
  }

  private void take(ClockStep step, long before, long offset) {
    pending = step;
    reading = new OffsetSchedule(before, offset, step.atMicros() - offset);
  }

  /** Takes the step when the fleet does; proposes one if the fleet has none. */
  private CompletionStage<Void> agree(NodeClock node) {
    return node.step()
        .thenCompose(
            agreed ->
                proposal(agreed)
                    .map(own -> node.agree(own).<Void>thenApply(done -> null))
                    .orElseGet(() -> CompletableFuture.completedFuture(null)));
  }

  /** Follows the fleet's step if it is of now; else returns the own one, if there is one. */
  private synchronized Optional<ClockStep> proposal(Optional<ClockStep> agreed) {
    long now = time.micros();
    long offset = offsets[best()];
    OffsetSchedule known = reading;
    Optional<ClockStep> step = agreed.filter(one -> one.isOf(now + offset));
    if (step.isEmpty() || known == null) {
      return Optional.ofNullable(pending);
    }
    if (pending != null) {
      take(step.get(), known.at(now), offset);
    } else if (step.get().atMicros() > now + offset) {
      take(step.get(), offset - step.get().byMicros(), offset); // the fleet is on the old clock
    }
    return Optional.empty();
  }

  @Override
  public long micros() {
    OffsetSchedule known = reading;
    if (known == null) {
      return time.wallMicros();
    }
    long now = time.micros();
    return now + known.at(now);
  }
}
