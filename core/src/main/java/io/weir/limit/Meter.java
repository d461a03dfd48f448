package io.weir.limit;

import io.weir.Concurrency;
import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;

/**
 * The arithmetic of one limit: given a cell and the time, may this much be taken, what is left, and
 * when will more be there.
 *
 * <p>A meter is immutable and shared. Every use starts with {@link #open}, which brings the cell to
 * the present (and to this limit's numbers, if it was written under others); the other methods then
 * read or change it at that same moment. All times are in microseconds, all results are whole
 * numbers, and no intermediate reaches 2<sup>53</sup>.
 */
public abstract sealed class Meter
    permits BucketMeter, CountMeter, SlidingWindowMeter, LogMeter, PermitMeter {
  /** The retry-after of a call that no amount of waiting will admit. */
  public static final long NEVER = LimitStatus.NEVER;

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

  /** The limit whose arithmetic this is. */
  public final Limit limit() {
    return limit;
  }

  /** What {@link #remaining} counts down from. */
  public final long capacity() {
    return capacity;
  }

  /**
   * Whether this limit is on the wall clock (aligned windows, quotas) rather than the monotonic
   * one.
   */
  public boolean onWallClock() {
    return false;
  }

  /**
   * The same arithmetic on the wall clock, as a shared store has it, so that windows begin and end
   * when they do there; itself where no window does.
   */
  public Meter onWall() {
    return this;
  }

  /** Whether keys have windows of their own, so that {@link #open} needs their hash. */
  public boolean hasPhase() {
    return false;
  }

  /**
   * Brings a cell to {@code now}. A cell without a meter becomes that of an unused key; one written
   * under other numbers keeps what was taken.
   *
   * @param keyHash the fixed hash of rule and key, from which windows take their phase
   */
  public abstract void open(LimitState state, long now, long keyHash);

  /**
   * Whether anything done under these numbers is written down. A bucket of rate 0 writes nothing:
   * instances that hold other numbers find the key as it was.
   */
  public boolean writes() {
    return true;
  }

  /**
   * What an opened cell becomes if the call takes nothing from it. Buckets return to what they were
   * before: a refused call writes neither a clipped deficit nor other numbers, or instances that
   * hold different numbers would refund each other. Only a clock that stepped back is noted.
   *
   * @param before the cell before it was opened
   */
  public void leave(LimitState state, LimitState before, long now) {}

  /** Whether {@code cost} can be taken now. A cost of 0 can, unless the limit is 0. */
  public abstract boolean admits(LimitState state, long now, long cost);

  /**
   * Takes {@code cost}, which must have been admitted.
   *
   * @param permit who holds it; matters to concurrency only
   */
  public abstract void take(LimitState state, long now, long cost, long permit);

  /** Takes {@code amount} whether it is there or not: the true cost of a call turned out higher. */
  public abstract void charge(LimitState state, long now, long amount);

  /**
   * Takes what was let through elsewhere until now, not all of it just now: windows as far as there
   * is anything left, buckets down to one burst below empty.
   */
  public void chargeDebt(LimitState state, long now, long amount) {
    charge(state, now, Math.min(amount, remaining(state, now)));
  }

  /** Counts a refused call against its own limit, up to twice the capacity. */
  public abstract void countDenied(LimitState state, long now, long cost);

  /** Gives back {@code amount} of an earlier take, as far as that take still weighs. */
  public abstract void giveBack(LimitState state, long now, long amount, TakeReceipt receipt);

  /** Gives back {@code amount} of what was taken last, without knowing when that was. */
  public void refund(LimitState state, long now, long amount) {
    giveBack(state, now, amount, TakeReceipt.of(state));
  }

  /** The whole number that could be taken now. */
  public abstract long remaining(LimitState state, long now);

  /** Microseconds until the key is as if never used, if nothing else is taken. */
  public abstract long reset(LimitState state, long now);

  /**
   * Microseconds until {@code cost} would be admitted if nothing else were taken, or {@link
   * #NEVER}.
   */
  public abstract long retryAfter(LimitState state, long now, long cost);

  /**
   * Microseconds a call admitted now should wait before it goes; only leaky buckets ask for any.
   */
  public long delay(LimitState state) {
    return 0;
  }

  /** The moment from which on the cell is worth nothing, and may be forgotten. */
  public abstract long idleAt(LimitState state);

  /** Takes numbers one by one. */
  public interface Sink {
    /** Takes the next number; all are whole and below 2<sup>53</sup>. */
    void add(long number);
  }

  /**
   * The numbers of this limit, in the order in which a store's script that does the same arithmetic
   * reads them.
   *
   * @param wallNow the time on the wall clock, for calendar periods
   * @param keyHash the fixed hash of rule and key, for limits that have a phase
   */
  public abstract void numbers(Sink sink, long wallNow, long keyHash);

  /** The decision on {@code cost} as arithmetic that a person can follow. */
  public abstract String describe(LimitState state, long now, long cost);

  /** Two meters are equal if their numbers and clocks are; names do not matter. */
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
