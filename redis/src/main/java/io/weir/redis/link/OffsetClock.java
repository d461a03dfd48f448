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
 * Estimates a node's clock: the monotonic clock of this instance, plus the offset to the node's
 * clock, measured with every heartbeat.
 *
 * <p>A reply gives the node's time at some moment between request and response. The middle is the
 * best estimate, and off by at most half the round trip. So the sample with the smallest round trip
 * of the last {@value #MAX_SAMPLES} is used. Until there is one, and if a node refuses {@code
 * TIME}, the wall clock is used.
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
 * <p>All instances use the old clock until X, which is a time on the new one, and the new clock
 * from there on. Only calls that were in flight at X are out of step, for one round trip.
 */
final class OffsetClock implements StoreClock {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetClock.class);
  private static final int MAX_SAMPLES = 10;
  private static final long LOGGED_MICROS = 1_000_000;

  /**
   * Smaller differences are explained by clocks that run at different speeds, and are followed at
   * once.
   */
  private static final long DRIFT_MICROS = 10_000;

  private static final long NEVER = Long.MAX_VALUE;

  /** The offset in force, and the one that follows it at a time of the monotonic clock. */
  private record OffsetSchedule(long offset, long next, long nextAt) {
    static OffsetSchedule of(long offset) {
      return new OffsetSchedule(offset, offset, NEVER);
    }

    long at(long micros) {
      return micros >= nextAt ? next : offset;
    }
  }

  private final TimeSource time;
  private final long[] offsets = new long[MAX_SAMPLES];
  private final long[] roundTrips = new long[MAX_SAMPLES];
  private int measured;
  private volatile @Nullable OffsetSchedule schedule;

  /** The step to be taken; null if there is none. */
  private @Nullable ClockStep pending;

  OffsetClock(TimeSource time) {
    this.time = time;
  }

  /**
   * Reads the node's time, and the fleet's step if needed. Always completes; a node that refuses
   * changes nothing.
   */
  CompletionStage<Void> measure(NodeClock node) {
    long sentAt = time.micros();
    return node.time()
        .thenCompose(
            parts ->
                parts.size() == 2 && measured(sentAt, time.micros(), micros(parts))
                    ? agree(node)
                    : CompletableFuture.<Void>completedFuture(null))
        .exceptionally(problem -> null);
  }

  /**
   * As {@link #measure}, for a node that may have changed: after a failover the clock is that of
   * another machine. Earlier samples are discarded.
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
   * @return whether the fleet's step is needed: this instance has one pending, or this is the first
   *     sample
   */
  private synchronized boolean measured(long sentAt, long receivedAt, long node) {
    long roundTrip = receivedAt - sentAt;
    long offset = node - (sentAt + roundTrip / 2);
    boolean first = measured == 0;
    boolean step = !first && isStep(offset, roundTrip, best());
    if (step) {
      measured = 0;
    }
    int at = measured++ % MAX_SAMPLES;
    roundTrips[at] = roundTrip;
    offsets[at] = offset;
    follow(offsets[best()], receivedAt, step || (pending != null && !first));
    return first || pending != null;
  }

  private boolean isStep(long offset, long roundTrip, int best) {
    return Math.abs(offset - offsets[best]) > (roundTrip + roundTrips[best]) / 2 + 1;
  }

  /** The index of the sample with the smallest round trip. */
  private int best() {
    int best = 0;
    for (int i = 1; i < Math.min(measured, MAX_SAMPLES); i++) {
      best = roundTrips[i] < roundTrips[best] ? i : best;
    }
    return best;
  }

  /** Uses this offset: at once, or together with the fleet. */
  private void follow(long offset, long now, boolean step) {
    OffsetSchedule known = schedule;
    long before = known == null ? offset : known.at(now);
    if (!step || Math.abs(offset - before) <= DRIFT_MICROS) {
      pending = null;
      schedule = OffsetSchedule.of(offset);
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
    if (Math.abs(step.byMicros()) >= LOGGED_MICROS) {
      String seconds = String.format(Locale.ROOT, "%+.1f", step.byMicros() / 1e6);
      LOG.warn("the clock of Redis stepped by {} s; instances follow it together in 3 s", seconds);
    }
  }

  private void take(ClockStep step, long before, long offset) {
    pending = step;
    schedule = new OffsetSchedule(before, offset, step.atMicros() - offset);
  }

  /** Follows the fleet's step; proposes one if the fleet has none. */
  private CompletionStage<Void> agree(NodeClock node) {
    return node.step()
        .thenCompose(
            agreed ->
                proposal(agreed)
                    .map(own -> node.agree(own).<Void>thenApply(done -> null))
                    .orElseGet(() -> CompletableFuture.completedFuture(null)));
  }

  /**
   * Follows the fleet's step if it is current; otherwise returns the pending step of this instance,
   * if any.
   */
  private synchronized Optional<ClockStep> proposal(Optional<ClockStep> agreed) {
    long now = time.micros();
    long offset = offsets[best()];
    OffsetSchedule known = schedule;
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
    OffsetSchedule known = schedule;
    if (known == null) {
      return time.wallMicros();
    }
    long now = time.micros();
    return now + known.at(now);
  }
}
