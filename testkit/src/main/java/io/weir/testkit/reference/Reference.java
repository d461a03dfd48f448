package io.weir.testkit.reference;

import io.weir.Limit;
import io.weir.limit.Meter;

/**
 * One key under one limit, as the semantics define it.
 *
 * <p>Every use starts with {@link #open}, which brings the state to the present and to the numbers
 * that hold now; the other methods read or change it at that moment. Times are in microseconds.
 */
public abstract sealed class Reference
    permits BucketReference,
        WindowReference,
        SlidingWindowReference,
        LogReference,
        PermitReference {
  /** The largest number that is kept anywhere, since a Redis script has only doubles. */
  static final long MOST = (1L << 53) - 1;

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
   * Brings the state to this moment, under these numbers. A bucket only shows it so: unless a call
   * then changes it, it stays as it was, but for a clock that stepped back.
   */
  public abstract void open(Limit limit, long now);

  /** Whether the state, as it stands, has room for a cost that the limit could ever hold. */
  abstract boolean fits(long cost);

  /** Takes a cost that was admitted. */
  public abstract void take(long cost, long permit);

  /** Takes an amount whether it is there or not. */
  public abstract void charge(long amount);

  /** Counts a refusal, up to twice the capacity. */
  public abstract void countDenied(long cost);

  /** Gives back an amount of an earlier take, as far as that take still weighs. */
  public abstract void giveBack(long amount, ReferenceReceipt mark);

  /** Gives back an amount of what was taken last: as if all that weighs had been taken now. */
  public void refund(long amount) {
    giveBack(amount, mark());
  }

  /** What to remember of the take that just happened. */
  public abstract ReferenceReceipt mark();

  /** The whole number that could be taken now. */
  public abstract long remaining();

  /** Time until the key is as if never used. */
  public abstract long reset();

  /** Time until a cost that does not fit now, but could, will fit. */
  abstract long timeUntilFits(long cost);

  /** The same state, apart. */
  public abstract Reference copy();

  /** The numbers in force. */
  abstract Limit limit();

  /** Time until what was taken before has drained; only leaky buckets make anyone wait. */
  public long delay() {
    return 0;
  }

  /** The steps in which the limit's time moves, in µs; 1 unless its numbers are very large. */
  public long tick() {
    return 1;
  }

  /** Ends a permit; false if it was not held. */
  public boolean release(long permit) {
    return false;
  }

  /** Gives a permit its full life again; false if it was not held. */
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

  /** What a caller who asks for this cost is told of the state as it stands. */
  public final ObservedAnswer seen(long cost) {
    boolean allowed = admits(cost);
    return new ObservedAnswer(
        allowed, remaining(), reset(), retryAfter(cost), allowed ? delay() : 0);
  }

  /** The end of the window that holds {@code now}; windows are one length apart from a phase. */
  static long endOfWindow(long now, long length, long phase) {
    return now - Math.floorMod(now - phase, length) + length;
  }
}
