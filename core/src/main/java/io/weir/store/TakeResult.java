package io.weir.store;

import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The result of a list of draws.
 *
 * <p>A store decides all of them. A layer in front of a store can refuse a call after it has
 * checked only some; {@code drawIndexes} lists these.
 *
 * @param taken whether all enforced draws were admitted, and so all admitted draws taken
 * @param statuses one per checked draw, in order
 * @param receipts one per draw, in order, if the draws were taken for a later settlement; else
 *     empty
 * @param grants one per draw, in order, if the store lends and a draw had a lease report; else
 *     empty
 * @param drawIndexes for each status, the index of its draw, if the call was refused before all
 *     draws were checked; else empty
 */
public record TakeResult(
    boolean taken,
    List<LimitStatus> statuses,
    List<TakeReceipt> receipts,
    List<LeaseGrant> grants,
    List<Integer> drawIndexes) {
  /** The result of draws that were all checked. */
  public TakeResult(
      boolean taken,
      List<LimitStatus> statuses,
      List<TakeReceipt> receipts,
      List<LeaseGrant> grants) {
    this(taken, statuses, receipts, grants, List.of());
  }

  /** The result of draws without leases that were all checked. */
  public TakeResult(boolean taken, List<LimitStatus> statuses, List<TakeReceipt> receipts) {
    this(taken, statuses, receipts, List.of());
  }

  /** The result of draws that were sent and not answered. */
  public static TakeResult unanswered(List<Draw> draws) {
    return new TakeResult(false, draws.stream().map(Draw::unanswered).toList(), List.of());
  }

  /** The result of draws that were never sent. */
  public static TakeResult notSent(List<Draw> draws) {
    List<LeaseGrant> grants = Collections.nCopies(draws.size(), LeaseGrant.NOT_SENT);
    return new TakeResult(false, unanswered(draws).statuses, List.of(), grants);
  }

  /** The refusal of a call of which only some draws were checked. */
  public static TakeResult refused(List<LimitStatus> statuses, List<Integer> drawIndexes) {
    return new TakeResult(false, statuses, List.of(), List.of(), drawIndexes);
  }

  /** A refusal by one draw, before any other was checked. */
  public static TakeResult refusedAt(int drawIndex, LimitStatus status) {
    return refused(List.of(status), List.of(drawIndex));
  }

  /** Whether all draws were checked. */
  public boolean isComplete() {
    return drawIndexes.isEmpty();
  }

  /** The index of the draw that a status, by its index, belongs to. */
  public int drawIndexOf(int status) {
    return isComplete() ? status : drawIndexes.get(status);
  }

  /** The status of the draw at an index, if it was checked. */
  public Optional<LimitStatus> at(int drawIndex) {
    int status = isComplete() ? drawIndex : drawIndexes.indexOf(drawIndex);
    return status < 0 ? Optional.empty() : Optional.of(statuses.get(status));
  }
}
