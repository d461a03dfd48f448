package io.weir.store;

import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What came of a list of draws.
 *
 * <p>A store answers for all of them. What stands before a store can refuse a call when it has
 * asked only some; which these are is in {@code places}.
 *
 * @param taken whether all enforced draws were admitted, and so all admitted draws taken
 * @param standings one per draw that was asked, in order
 * @param stamps one per draw, in order, when the draws were taken to be settled later; else empty
 * @param grants one per draw, in order, where the store lends and a draw told of leases; else empty
 * @param places for each standing, which of the draws it is about, where a call was refused before
 *     all were asked; else empty
 */
public record TakeResult(
    boolean taken,
    List<LimitStatus> statuses,
    List<TakeReceipt> receipts,
    List<LeaseGrant> grants,
    List<Integer> drawIndexes) {
  /** What came of draws that were all asked. */
  public TakeResult(
      boolean taken,
      List<LimitStatus> standings,
      List<TakeReceipt> stamps,
      List<LeaseGrant> grants) {
    this(taken, standings, stamps, grants, List.of());
  }

  /** What came of draws without leases that were all asked. */
  public TakeResult(boolean taken, List<LimitStatus> standings, List<TakeReceipt> stamps) {
    this(taken, standings, stamps, List.of());
  }

  /** What came of draws that were asked, and not answered. */
  public static TakeResult unanswered(List<Draw> draws) {
    return new TakeResult(false, draws.stream().map(Draw::unanswered).toList(), List.of());
  }

  /** What came of draws that were never sent to where they would have been asked. */
  public static TakeResult notSent(List<Draw> draws) {
    List<LeaseGrant> grants = Collections.nCopies(draws.size(), LeaseGrant.NOT_SENT);
    return new TakeResult(false, unanswered(draws).statuses, List.of(), grants);
  }

  /** A refusal of a call of which only some draws were asked. */
  public static TakeResult refused(List<LimitStatus> standings, List<Integer> places) {
    return new TakeResult(false, standings, List.of(), List.of(), places);
  }

  /** A refusal by one draw, before any other was asked. */
  public static TakeResult refusedAt(int place, LimitStatus standing) {
    return refused(List.of(standing), List.of(place));
  }

  /** Whether all draws were asked. */
  public boolean isComplete() {
    return drawIndexes.isEmpty();
  }

  /** Which of the draws a standing, by its number, is about. */
  public int drawIndexOf(int standing) {
    return isComplete() ? standing : drawIndexes.get(standing);
  }

  /** How the draw at a place stands, if it was asked. */
  public Optional<LimitStatus> at(int place) {
    int standing = isComplete() ? place : drawIndexes.indexOf(place);
    return standing < 0 ? Optional.empty() : Optional.of(statuses.get(standing));
  }
}
