package io.weir.observe;

import io.weir.DecisionSource;
import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.LimitStatus;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The audit of one bucket for a limited time: compares the amount admitted with the amount that its
 * limit allows in that time.
 *
 * <p>A token or leaky bucket allows its capacity plus the refill. A fixed window or a quota allows
 * its count once per window begun; the amount taken before the audit began is known from the first
 * result. For sliding windows and logs the audit keeps a log of admissions, and the fullest window
 * counts.
 *
 * <p>The allowance for the whole time applies from the start. So the ratio grows to its final value
 * and never exceeds it.
 */
final class BucketAudit {
  private static final long MIN_PERIOD_MICROS = 10_000_000;
  private static final long MAX_PERIOD_MICROS = 3_600_000_000L;

  final Pool pool;
  final Key key;
  private final Limit limit;
  private final long startedMicros;
  private final long endMicros;
  private final double allowed;
  private final @Nullable SlicedCounter log;
  private final long logMicros;
  private long admitted;
  private long fullest;
  private boolean comparable;
  private double error = Double.NaN;

  private BucketAudit(Draw draw, long startedMicros, long ends, double allowed, long before) {
    this.pool = draw.pool();
    this.key = draw.key();
    this.limit = pool.meter().limit();
    this.startedMicros = startedMicros;
    this.endMicros = ends;
    this.allowed = Math.max(1, allowed);
    this.admitted = before;
    this.logMicros = logMicros(limit);
    this.log = logMicros > 0 ? new SlicedCounter(logMicros, startedMicros) : null;
    this.comparable = limit instanceof SlidingWindow && !pool.countDenied();
  }

  /** Whether a draw can be audited: it takes, and its window is at most an hour. */
  static boolean isAuditable(Draw draw) {
    Limit limit = draw.pool().meter().limit();
    return !draw.isLook()
        && limit.kind() != LimitKind.CONCURRENCY
        && logMicros(limit) <= MAX_PERIOD_MICROS;
  }

  /**
   * Begins the audit of a bucket.
   *
   * @param sent when the first draw was sent, in µs
   * @param first the status of the first draw
   */
  static BucketAudit begin(Draw draw, LimitStatus first, boolean taken, long sent) {
    Limit limit = draw.pool().meter().limit();
    BucketAudit audit;
    if (limit instanceof TokenBucket bucket) {
      audit = bucket(draw, sent, bucket.rate(), bucket.period());
    } else if (limit instanceof LeakyBucket bucket) {
      audit = bucket(draw, sent, bucket.rate(), bucket.period());
    } else if (limit instanceof FixedWindow window) {
      audit = windows(draw, first, taken, sent, Micros.of(window.window()));
    } else if (limit instanceof Quota quota) {
      audit = windows(draw, first, taken, sent, Micros.of(quota.period().length()));
    } else {
      long ends = sent + Math.max(MIN_PERIOD_MICROS, 3 * logMicros(limit));
      audit = new BucketAudit(draw, sent, ends, limit.capacity(), 0);
    }
    return audit;
  }

  private static BucketAudit bucket(Draw draw, long sent, long rate, Duration period) {
    long periodMicros = Micros.of(period);
    long length = Math.max(MIN_PERIOD_MICROS, Math.min(MAX_PERIOD_MICROS, periodMicros));
    double comesBack = (double) rate * length / periodMicros;
    return new BucketAudit(
        draw, sent, sent + length, draw.pool().meter().capacity() + comesBack, 0);
  }

  private static BucketAudit windows(
      Draw draw, LimitStatus first, boolean taken, long sent, long window) {
    long count = draw.pool().meter().capacity();
    if (!isOfStore(first)) {
      // The start of windows is not known: one more window than fits may be touched.
      long length = Math.max(MIN_PERIOD_MICROS, Math.min(MAX_PERIOD_MICROS, window));
      long touched = (length + window - 1) / window + 1;
      return new BucketAudit(draw, sent, sent + length, (double) count * touched, 0);
    }
    long untilNext = Math.max(1, first.resetMicros());
    long more = Math.max(0, (MIN_PERIOD_MICROS - untilNext + window - 1) / window);
    long length = Math.min(MAX_PERIOD_MICROS, untilNext + more * window);
    long before = count - first.remaining() - (taken && first.allowed() ? draw.amount() : 0);
    return new BucketAudit(
        draw, sent, sent + length, (double) count * (more + 1), Math.max(0, before));
  }

  /** The window of the log, in µs; 0 for limits that need no log. */
  private static long logMicros(Limit limit) {
    if (limit instanceof SlidingWindow window) {
      return Micros.of(window.window());
    }
    return limit instanceof SlidingLog window ? Micros.of(window.window()) : 0;
  }

  /** Whether a status is that of the bucket itself, not one from a cache, lease or fallback. */
  private static boolean isOfStore(LimitStatus status) {
    boolean itself =
        status.source() == DecisionSource.STORE || status.source() == DecisionSource.MEMORY;
    return itself && status.answered() && !status.degraded();
  }

  boolean isOver(long now) {
    return now >= endMicros;
  }

  /**
   * Records the result of a draw.
   *
   * @param taken whether its call was admitted
   * @param alone whether no other instance draws from this bucket
   */
  synchronized void onAnswer(
      Draw draw, LimitStatus status, boolean taken, long now, boolean alone) {
    if (isOver(now)) {
      return;
    }
    if (taken && status.allowed()) {
      add(now, draw.amount());
    }
    if (log != null
        && comparable
        && alone
        && isOfStore(status)
        && now - startedMicros >= logMicros) {
      long estimate = limit.capacity() - status.remaining();
      // The remaining amount is rounded to whole numbers, hence a tolerance of 1.
      double off = Math.max(0, Math.abs(estimate - log.sum(now)) - 1);
      double ratio = off / Math.max(1, limit.capacity());
      error = Double.isNaN(error) ? ratio : Math.max(error, ratio);
    }
  }

  /** Records that part of the amount taken has been given back. */
  synchronized void onGivenBack(long amount, long now) {
    if (!isOver(now)) {
      comparable = false; // the time of the original take is not known
      add(now, -amount);
    }
  }

  private void add(long now, long amount) {
    admitted = Math.max(0, admitted + amount);
    if (log != null) {
      log.add(now, amount);
      fullest = Math.max(fullest, log.sum(now));
    }
  }

  /** The amount admitted as a fraction of the amount allowed. */
  synchronized double overAdmission() {
    return (log == null ? admitted : fullest) / allowed;
  }

  /**
   * The largest difference between estimate and log, as a fraction of the limit; NaN if unknown.
   */
  synchronized double estimateError() {
    return error;
  }
}
