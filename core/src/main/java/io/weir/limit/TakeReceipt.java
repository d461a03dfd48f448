package io.weir.limit;

/**
 * The receipt of a take, needed to give it back later. It identifies the window that was charged,
 * the log entry, or the state of a leaky bucket right after the take. It also has the time of the
 * take, as a take can be given back for a limited time only.
 *
 * @param time the state's time after the take, in µs
 * @param used the state's deficit or count after the take
 * @param madeAt the time of the take, in µs on the clock of the store that recorded it, as the
 *     clock of the instance that gives it back may be wrong
 * @param where where the take was recorded
 */
public record TakeReceipt(long time, long used, long madeAt, Origin origin) {
  /** The receipt of a draw that was admitted but not recorded. */
  public static final TakeReceipt NOWHERE = new TakeReceipt(0, 0, 0, Origin.NOWHERE);

  /** Where a take was recorded. */
  public enum Origin {
    /** In the store that the draw belongs to. */
    STORE,
    /** In the memory of the instance that decided, as the store was unavailable. */
    INSTANCE,
    /** Nowhere: the store was unavailable, and the rule is open then. */
    NOWHERE
  }

  /** The receipt of a take recorded by the store, without its time. */
  public TakeReceipt(long time, long used) {
    this(time, used, 0, Origin.STORE);
  }

  /** The receipt of the take that a state was just changed by. */
  public static TakeReceipt of(LimitState state) {
    return new TakeReceipt(state.time, state.used);
  }

  /** This receipt with the time of the take. */
  public TakeReceipt madeAt(long micros) {
    return new TakeReceipt(time, used, micros, origin);
  }

  /** This receipt for a take that is recorded only in this instance. */
  public TakeReceipt onInstance() {
    return new TakeReceipt(time, used, madeAt, Origin.INSTANCE);
  }
}
