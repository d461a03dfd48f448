package io.weir.store;

import io.weir.SettlementResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the state of every bucket and decides on draws: all or none.
 *
 * <p>Returned stages complete normally even when the store is unavailable; an exceptional
 * completion is a bug. The store contract test in the testkit defines each method in code.
 */
public interface Store extends AutoCloseable {
  /**
   * Decides all draws. If all enforced ones admit, takes from all that admit; otherwise from none,
   * but pools that count refusals count theirs. The draws are on different buckets. Lease reports
   * are applied whatever the decision, but nothing is lent to a refused call.
   */
  CompletionStage<TakeResult> take(List<Draw> draws);

  /**
   * As {@link #take}, with receipts to settle it later.
   *
   * @param reservation a unique id; permits are held under it
   */
  CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws);

  /**
   * Settles a reservation: gives back the part of the reserved amount that was not used, and takes
   * the excess of the actual amount, even below empty. At most once per reservation, and not when
   * it is old, both by the store's own clock.
   *
   * @return done, already, or unavailable; after unavailable it may be retried, and no part is
   *     settled twice
   */
  CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms);

  /**
   * As {@link #settle(long, List, SettlementTerms)} with a marker that lives as long as a
   * settlement is accepted.
   */
  default CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, Duration within) {
    return settle(reservation, parts, SettlementTerms.of(within));
  }

  /** Releases the permits held under a reservation; already if none was held. */
  CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts);

  /** Renews the permits held under a reservation for their full life; already if none was held. */
  CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts);

  /** Gives back an amount that was just taken without a reservation. */
  CompletionStage<Void> refund(Pool pool, io.weir.Key key, long amount);

  /**
   * As {@link #refund} by an operator, who wants to know whether it was done: done or unavailable.
   * Permits are not given back.
   */
  default CompletionStage<SettlementResult> grant(Pool pool, io.weir.Key key, long amount) {
    return refund(pool, key, amount).thenApply(done -> SettlementResult.DONE);
  }

  /**
   * Makes a bucket that of a new key: nothing taken, no debt, no permit held. A lease on another
   * instance stays usable until it expires, so at most one lease cap passes beyond the limit.
   *
   * @return done or unavailable
   */
  CompletionStage<SettlementResult> reset(Pool pool, io.weir.Key key);

  /**
   * Ends a lease: {@link LeaseReport#returned} goes back to the bucket, and {@link
   * LeaseReport#held} no longer counts as leased. Applied to the present state, so that a lease
   * from before a change of numbers does not restore the old ones. Sent once; a store that does not
   * lend does nothing.
   */
  default CompletionStage<Void> endLease(Pool pool, io.weir.Key key, LeaseReport lease) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Whether a draw on this bucket is known to get no answer now, as its node is unavailable. Sends
   * no request; false if unknown.
   */
  default boolean isUnavailable(Pool pool, io.weir.Key key) {
    return false;
  }

  /**
   * The number of instances that share this store, as last counted; 1 for a store that does not
   * count them. While the store is unavailable, each instance decides by that part of a limit.
   */
  default int instances() {
    return 1;
  }

  /** The state behind each draw as readable arithmetic; changes nothing. */
  CompletionStage<List<String>> describe(List<Draw> draws);

  @Override
  void close();
}
