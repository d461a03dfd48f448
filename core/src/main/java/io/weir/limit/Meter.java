package io.weir.limit;

import io.weir.Concurrency;
import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.Micros;

/**
 * The arithmetic of one limit: from a state and the time, whether a cost is admitted, what remains,
 * and when to retry.
 *
 * <p>A meter is immutable and shared. Every use starts with {@link #open}, which brings the state
 * to the present, and to the numbers of this limit if it was written under others. The other
 * methods then read or change it at that same moment. All times are in microseconds, all results
 * are whole numbers, and every intermediate result is below 2<sup>53</sup>.
 */
public abstract sealed class Meter
    permits BucketMeter, CountMeter, SlidingWindowMeter, LogMeter, PermitMeter {
  /** The retry-after if waiting cannot help. */
  public static final long NEVER = Micros.NEVER;

  private final Limit limit;
  private final long capacity;

  Meter(Limit limit) {
    this.limit = limit;
    this.capacity = limit.capacity();
  }

  /** The meter for a limit. */
  public static Meter of(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET -> BucketMeter.of((TokenBucket) limit);
      case LEAKY_BUCKET -> BucketMeter.of((LeakyBucket) limit);
      case FIXED_WINDOW -> new FixedWindowMeter((FixedWindow) limit);
      case SLIDING_WINDOW -> new SlidingWindowMeter((SlidingWindow) limit);
      case SLIDING_LOG -> new LogMeter((SlidingLog) limit);
      case QUOTA -> new QuotaMeter((Quota) limit);
      case CONCURRENCY -> new PermitMeter((Concurrency) limit);
    };
  }

  /** The limit that this meter computes. */
  public final Limit limit() {
    return limit;
  }

  /** The highest possible {@link #remaining}. */
  public final long capacity() {
    return capacity;
  }

  /**
   * Whether this limit uses the wall clock (aligned windows, quotas) instead of the monotonic
   * clock.
   */
  public boolean onWallClock() {
    return false;
  }

  /**
   * This meter on the wall clock, as in a shared store, so that windows begin and end when they do
   * there. Returns itself if it has no windows.
   */
  public Meter onWall() {
    return this;
  }

  /** Whether the phase of windows depends on the key, so that {@link #open} needs its hash. */
  public boolean hasPhase() {
    return false;
  }

  /**
   * Brings a state to {@code now}. A state without a meter becomes that of an unused key. A state
   * written under other numbers keeps the amount taken.
   *
   * @param keyHash the fixed hash of rule and key, which determines the phase of windows
   */
  public abstract void open(LimitState state, long now, long keyHash);

  /**
   * Whether calls under this limit change the state. A bucket of rate 0 writes nothing, so that
   * instances with other numbers find the key unchanged.
   */
  public boolean writes() {
    return true;
  }

  /**
   * Restores an opened state if the call takes nothing from it. Buckets return to the state before:
   * a refused call writes neither a clipped deficit nor other numbers, or instances with different
   * numbers would refund each other's tokens. Only a clock that stepped back is recorded.
   *
   * @param before the state before it was opened
   */
  public void leave(LimitState state, LimitState before, long now) {}

  /** Whether {@code cost} is admitted now. A cost of 0 is, unless the limit is 0. */
  public abstract boolean admits(LimitState state, long now, long cost);

  /**
   * Takes {@code cost}, which must have been admitted.
   *
   * @param permit the id of the permit; used by concurrency limits only
   */
  public abstract void take(LimitState state, long now, long cost, long permit);

  /**
   * Takes {@code amount} even if the limit would not admit it: the true cost of a call was higher
   * than reserved.
   */
  public abstract void charge(LimitState state, long now, long amount);

  /**
   * Charges calls that were admitted elsewhere over some time, not just now. Windows are charged at
   * most what remains, buckets down to one burst below empty.
   */
  public void chargeDebt(LimitState state, long now, long amount) {
    charge(state, now, Math.min(amount, remaining(state, now)));
  }

  /** Counts a refused call against its own limit, up to twice the capacity. */
  public abstract void countDenied(LimitState state, long now, long cost);

  /** Gives back {@code amount} of an earlier take, as far as that take still counts. */
  public abstract void giveBack(LimitState state, long now, long amount, TakeReceipt receipt);

  /** Gives back {@code amount} of the latest takes, without a receipt. */
  public void refund(LimitState state, long now, long amount) {
    giveBack(state, now, amount, TakeReceipt.of(state));
  }

  /** The amount that could be taken now. */
  public abstract long remaining(LimitState state, long now);

  /** Microseconds until the limit is fully restored, if nothing else is taken. */
  public abstract long reset(LimitState state, long now);

  /**
   * Microseconds until {@code cost} will be admitted if nothing else is taken, or {@link #NEVER}.
   */
  public abstract long retryAfter(LimitState state, long now, long cost);

  /**
   * Microseconds that a call admitted now should wait before it proceeds; 0 for all but leaky
   * buckets.
   */
  public long delay(LimitState state) {
    return 0;
  }

  /** The moment from which on the state equals that of a new key, and may be dropped. */
  public abstract long idleAt(LimitState state);

  /** Receives numbers one by one. */
  public interface Sink {
    /** Receives the next number, which is whole and below 2<sup>53</sup>. */
    void add(long number);
  }

  /**
   * Emits the numbers of this limit, in the order in which the store's script for the same
   * arithmetic reads them.
   *
   * @param wallNow the time on the wall clock, for calendar periods
   * @param keyHash the fixed hash of rule and key, for limits that have a phase
   */
  public abstract void numbers(Sink sink, long wallNow, long keyHash);

  /** The arithmetic of the decision on {@code cost}, for people to read. */
  public abstract String describe(LimitState state, long now, long cost);

  /** Two meters are equal if their numbers and clocks are equal; names do not matter. */
  @Override
  public final boolean equals(Object other) {
    return this == other
        || (other instanceof Meter meter
            && onWallClock() == meter.onWallClock()
            && numbers().equals(meter.numbers()));
  }

  @Override
  public final int hashCode() {
    return numbers().hashCode();
  }

  private Limit numbers() {
    return limit.named("");
  }

  static long ceilDiv(long a, long b) {
    return -Math.floorDiv(-a, b);
  }
}
