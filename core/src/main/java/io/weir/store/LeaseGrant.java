package io.weir.store;

import io.weir.limit.LeaseLedger;

/**
 * How an instance's lease on a bucket stands in the store's books after a call; see {@link
 * LeaseLedger}.
 *
 * @param kept what it had in hand and may go on handing out
 * @param lent what it got in addition
 * @param epoch when that was, by the store's count
 * @param window the end of the window that was charged, on the store's clock; 0 for buckets
 * @param life how long all of it may be handed out, in µs from the moment the call was sent
 * @param at when the call was heard, in µs on the store's clock, whatever came of it: by this, what
 *     is handed out can be settled later; 0 if nobody heard it
 */
public record LeaseGrant(long kept, long lent, long epoch, long window, long life, long at) {
  /** Nothing. */
  public static final LeaseGrant NONE = new LeaseGrant(0, 0, -1, 0, 0);

  /** Nothing, as the call was never sent: nobody can have heard what it had to tell. */
  public static final LeaseGrant NOT_SENT = new LeaseGrant(0, 0, -1, 0, 0, -1);

  /** A grant whose time does not matter. */
  public LeaseGrant(long kept, long lent, long epoch, long window, long life) {
    this(kept, lent, epoch, window, life, 0);
  }

  /** What the books hold for the instance. */
  public long held() {
    return kept + lent;
  }

  /** The same, at this time of the store's clock. */
  public LeaseGrant at(long micros) {
    return new LeaseGrant(kept, lent, epoch, window, life, micros);
  }

  /** The same window, with nothing in the books that the instance could speak of. */
  public LeaseGrant forgotten() {
    return new LeaseGrant(0, 0, -1, window, 0);
  }
}
