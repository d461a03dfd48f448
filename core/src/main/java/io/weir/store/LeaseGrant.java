package io.weir.store;

import io.weir.limit.LeaseLedger;

/**
 * The state of an instance's lease on a bucket in the store's ledger after a request; see {@link
 * LeaseLedger}.
 *
 * @param kept the leased tokens that the instance may go on handing out
 * @param lent the tokens lent in addition
 * @param epoch the store's epoch of the grant
 * @param window end of the window that was charged, on the store's clock; 0 for buckets
 * @param life how long the tokens may be handed out, in µs from the time the request was sent
 * @param at when the store received the request, in µs on the store's clock, whatever the result;
 *     it dates reservations from this lease. 0 if the request was not received
 */
public record LeaseGrant(long kept, long lent, long epoch, long window, long life, long at) {
  /** No lease. */
  public static final LeaseGrant NONE = new LeaseGrant(0, 0, -1, 0, 0);

  /** No lease, as the request was never sent: the store cannot have applied its report. */
  public static final LeaseGrant NOT_SENT = new LeaseGrant(0, 0, -1, 0, 0, -1);

  /** A grant without a store time. */
  public LeaseGrant(long kept, long lent, long epoch, long window, long life) {
    this(kept, lent, epoch, window, life, 0);
  }

  /** The tokens that the ledger counts as leased to the instance. */
  public long tokens() {
    return kept + lent;
  }

  /** The same grant at this time of the store's clock. */
  public LeaseGrant at(long micros) {
    return new LeaseGrant(kept, lent, epoch, window, life, micros);
  }

  /** No tokens and no epoch, in the same window: there is nothing to report to the ledger. */
  public LeaseGrant forgotten() {
    return new LeaseGrant(0, 0, -1, window, 0);
  }
}
