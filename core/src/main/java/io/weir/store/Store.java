package io.weir.store;

import io.weir.SettlementResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the state of every bucket, and decides on draws: all or none.
 *
 * <p>Every method answers with a value. A stage never completes exceptionally because of the state
 * or the weather, only because of a bug. The store contract test in the testkit says in code what
 * each method must do.
 */
public interface Store extends AutoCloseable {
  /**
   * Looks at every draw; if all enforced ones admit, takes from all that admit, otherwise from none
   * (but pools that count refusals count their own). The draws are on different buckets. What a
   * draw tells of leases is heard whatever comes of the call, but nothing is lent to one that is
   * refused.
   */
  CompletionStage<TakeResult> take(List<Draw> draws);

  /**
   * As {@link #take}, remembering enough to settle it later.
   *
   * @param reservation an id no other reservation has; permits are held in its name
   */
  CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws);

  /**
   * Puts a reservation right: gives back what was reserved and not owed, takes what is owed beyond
   * it, even below empty. At most once per reservation, and not when it is old: both by the store's
   * own clock, whatever those of the instances say.
   *
   * @return done, already, or unavailable; then it may be tried again, and no part is settled twice
   */
  CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term);

  /**
   * As {@link #settle(long, List, SettlementTerms)}, where it is known for as long again that it
   * was.
   */
  default CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, Duration within) {
    return settle(reservation, parts, SettlementTerms.of(within));
  }

  /** Ends the permits held in a reservation's name; already if none was held any more. */
  CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts);

  /**
   * Gives the permits held in a reservation's name their full life again; already if none was held
   * any more.
   */
  CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts);

  /** Gives back an amount that was taken just now, without a reservation. */
  CompletionStage<Void> refund(Pool pool, io.weir.Key key, long amount);

  /**
   * Ends a lease: the bucket gets back {@link LeaseReport#returned} and no longer counts {@link
   * LeaseReport#held} as out. Applied to the state as it is, so that a lease from before a change
   * of numbers does not bring the old ones back. Sent once; a store that does not lend has nothing
   * to do.
   */
  default CompletionStage<Void> endLease(Pool pool, io.weir.Key key, LeaseReport lease) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Whether a draw on this bucket is known not to be answered if it were made now, as its node is
   * away. Asks nobody; a store that does not know says no.
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

  /** The state behind each draw as arithmetic that a person can follow; changes nothing. */
  CompletionStage<List<String>> describe(List<Draw> draws);

  @Override
  void close();
}
