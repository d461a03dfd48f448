package io.weir.limit;

/**
 * What must be remembered of a take to give it back later: which window was charged, which log
 * entry was written, or, for a leaky bucket, what the bucket looked like right after; and when it
 * was, so that it can be given back for a while only.
 *
 * @param time the cell's time after the take, in µs
 * @param used the cell's deficit or count after the take
 * @param madeAt when it was taken, in µs on the clock of the store that knows of it: whoever gives
 *     it back may be an instance whose own clock is wrong
 * @param where who knows of the take
 */
public record TakeReceipt(long time, long used, long madeAt, Origin origin) {
  /** Of a draw that was admitted and taken from nothing. */
  public static final TakeReceipt NOWHERE = new TakeReceipt(0, 0, 0, Origin.NOWHERE);

  /** Where a take was written down. */
  public enum Origin {
    /** In the store that the draw belongs to. */
    STORE,
    /** In the memory of the instance that decided, as the store was away. */
    INSTANCE,
    /** Nowhere: the store was away, and the rule lets everything pass then. */
    NOWHERE
  }

  /** A take that the store knows of, made at no time that matters. */
  public TakeReceipt(long time, long used) {
    this(time, used, 0, Origin.STORE);
  }

  /** The stamp of a cell that was just taken from. */
  public static TakeReceipt of(LimitState state) {
    return new TakeReceipt(state.time, state.used);
  }

  /** The same take, made at this time. */
  public TakeReceipt madeAt(long micros) {
    return new TakeReceipt(time, used, micros, origin);
  }

  /** The same take, which only this instance knows of. */
  public TakeReceipt onInstance() {
    return new TakeReceipt(time, used, madeAt, Origin.INSTANCE);
  }
}
