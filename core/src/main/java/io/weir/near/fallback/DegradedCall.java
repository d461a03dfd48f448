package io.weir.near.fallback;

import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * One call that the shared store answered in part or not at all, on its way to a decision.
 *
 * <pre>
 *   heard: admits   admits   –        –        –          what the store said
 *   rule:                    open     local    closed     what was chosen for the rest
 *                            admits   asked    refuses
 *                                     here
 * </pre>
 */
public final class DegradedCall {
  private final List<Draw> draws;
  private final TakeResult response;
  private final List<LimitStatus> statuses;
  private final List<TakeReceipt> receipts = new ArrayList<>();

  /** The places of draws that are decided in memory. */
  private final List<Integer> localIndexes = new ArrayList<>();

  /** Whether nothing refuses the call, as far as is known without what is decided in memory. */
  private boolean passes = true;

  DegradedCall(List<Draw> draws, TakeResult heard) {
    this.draws = draws;
    this.response = heard;
    this.statuses = new ArrayList<>(heard.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      Draw draw = draws.get(i);
      boolean answered = statuses.get(i).answered();
      receipts.add(
          answered && !heard.receipts().isEmpty() ? heard.receipts().get(i) : TakeReceipt.NOWHERE);
      if (!answered && (draw.pool().onFail() == OnFail.LOCAL || exceedsCapacity(draw))) {
        localIndexes.add(i);
        continue;
      }
      if (!answered && draw.pool().onFail() == OnFail.OPEN) {
        statuses.set(i, open(draw));
      }
      passes &= statuses.get(i).allowed() || draw.mode() != Mode.ENFORCE;
    }
  }

  /** Whether the store answered for every draw. */
  static boolean hasAnswer(TakeResult taking) {
    List<LimitStatus> standings = taking.statuses();
    for (int i = 0; i < standings.size(); i++) {
      if (!standings.get(i).answered()) {
        return false;
      }
    }
    return true;
  }

  private static LimitStatus open(Draw draw) {
    return draw.statusBuilder()
        .allowed(true)
        .remaining(draw.pool().meter().capacity())
        .degraded()
        .build();
  }

  /** Whether the limit refuses this whatever its state, so that no store need be asked. */
  public static boolean exceedsCapacity(Draw draw) {
    long capacity = draw.pool().meter().capacity();
    return capacity == 0 || draw.amount() > capacity;
  }

  /** What is to be decided in memory; only to be looked at if the call does not pass anyway. */
  List<Draw> localDraws() {
    List<Draw> asked = new ArrayList<>(localIndexes.size());
    for (int place : localIndexes) {
      asked.add(passes ? draws.get(place) : draws.get(place).asLook());
    }
    return asked;
  }

  /** The decision, once memory has said its part. */
  TakeResult decided(TakeResult here) {
    for (int i = 0; i < localIndexes.size(); i++) {
      statuses.set(localIndexes.get(i), here.statuses().get(i));
      if (!here.receipts().isEmpty()) {
        receipts.set(localIndexes.get(i), here.receipts().get(i).onInstance());
      }
    }
    boolean taken = passes && here.taken();
    return new TakeResult(taken, statuses, taken ? receipts : List.of(), response.grants());
  }

  /** What the store took for this call, to be given back if it is refused. */
  List<ReservedPart> takenInStore() {
    List<ReservedPart> held = new ArrayList<>();
    for (int i = 0; i < response.receipts().size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus standing = response.statuses().get(i);
      if (standing.answered()
          && standing.allowed()
          && draw.amount() > 0
          && draw.intent() != Draw.Intent.LOOK) {
        held.add(
            new ReservedPart(
                draw.pool(), draw.key(), draw.amount(), 0, response.receipts().get(i)));
      }
    }
    return held;
  }
}
