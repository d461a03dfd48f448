package io.weir.testkit.reference;

import io.weir.Limit;
import io.weir.limit.Meter;

/**
 * One key under one limit, as the semantics define it.
 *
 * <p>Every use starts with {@link #open}, which brings the state to the present and to the numbers
 * in force; the other methods read or change it at that moment. Times are in microseconds.
 */
public abstract sealed class Reference
    permits BucketReference,
        WindowReference,
        SlidingWindowReference,
        LogReference,
        PermitReference {
  /** The largest number that is stored, because a Redis script has only doubles. */
  static final long MAX_EXACT = (1L << 53) - 1;

  /**
   * A key that was never used.
   *
   * @param keyHash the fixed hash of rule and key, from which windows take their phase
   */
  public static Reference of(Limit limit, long keyHash) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketReference();
      case FIXED_WINDOW, QUOTA -> new WindowReference(keyHash);
      case SLIDING_WINDOW -> new SlidingWindowReference(keyHash);
      case SLIDING_LOG -> new LogReference();
      case CONCURRENCY -> new PermitReference();
    };
  }

  /**
   * Brings the state to this time, under these numbers. For a bucket this is only a view: unless a
   * call then changes the state, it stays as it was, except after a clock step back.
   */
  public abstract void open(Limit limit, long now);

  /** Whether the current state has room for a cost that the limit could ever hold. */
  abstract boolean fits(long cost);

  /** Takes an admitted cost. */
  public abstract void take(long cost, long permit);

  /** Takes an amount whether it is available or not. */
  public abstract void charge(long amount);

  /** Counts a refusal, up to twice the capacity. */
  public abstract void countDenied(long cost);

  /** Gives back an amount of an earlier take, as far as that take still counts. */
  public abstract void giveBack(long amount, ReferenceReceipt receipt);

  /** Gives back an amount of what was taken last: as if all current usage had been taken now. */
  public void refund(long amount) {
    giveBack(amount, receipt());
  }

  /** The receipt of the take that just happened. */
  public abstract ReferenceReceipt receipt();

  /** The whole number of tokens that could be taken now. */
  public abstract long remaining();

  /** Time until the limit is fully restored. */
  public abstract long reset();

  /** Time until a cost that does not fit now, but could, will fit. */
  abstract long timeUntilFits(long cost);

  /** An independent copy of the state. */
  public abstract Reference copy();

  /** The numbers in force. */
  abstract Limit limit();

  /** Time until earlier takes have drained; only leaky buckets delay calls. */
  public long delay() {
    return 0;
  }

  /** The resolution of the limit's time in µs; 1 unless its numbers are very large. */
  public long tick() {
    return 1;
  }

  /** Ends a permit; false if it was not held. */
  public boolean release(long permit) {
    return false;
  }

  /** Restores a permit's full life; false if it was not held. */
  public boolean renew(long permit) {
    return false;
  }

  /** A limit of 0 admits nothing; beyond that, 0 always passes, and no cost above the capacity. */
  public final boolean admits(long cost) {
    long capacity = limit().capacity();
    return capacity > 0 && (cost == 0 || (cost <= capacity && fits(cost)));
  }

  /** Time until this cost would be admitted, if nothing else were taken. */
  public final long retryAfter(long cost) {
    if (admits(cost)) {
      return 0;
    }
    long capacity = limit().capacity();
    return capacity == 0 || cost > capacity ? Meter.NEVER : timeUntilFits(cost);
  }

  /** The answer to a caller who asks for this cost in the current state. */
  public final ObservedAnswer seen(long cost) {
    boolean allowed = admits(cost);
    return new ObservedAnswer(
        allowed, remaining(), reset(), retryAfter(cost), allowed ? delay() : 0);
  }

  /** The end of the window that contains {@code now}; windows repeat from a phase. */
  static long endOfWindow(long now, long length, long phase) {
    return now - Math.floorMod(now - phase, length) + length;
  }
}
