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
 *   store answer:  admits   admits   –        –        –
 *   on_fail:                         open     local    closed
 *   decision:      admits   admits   admits   by the   refuses
 *                                             share
 * </pre>
 */
public final class DegradedCall {
  private final List<Draw> draws;
  private final TakeResult response;
  private final List<LimitStatus> statuses;
  private final List<TakeReceipt> receipts = new ArrayList<>();

  /** Indexes of the draws that are decided in memory. */
  private final List<Integer> localIndexes = new ArrayList<>();

  /** Whether no draw refuses the call, those decided in memory aside. */
  private boolean passes = true;

  DegradedCall(List<Draw> draws, TakeResult response) {
    this.draws = draws;
    this.response = response;
    this.statuses = new ArrayList<>(response.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      Draw draw = draws.get(i);
      boolean answered = statuses.get(i).answered();
      receipts.add(
          answered && !response.receipts().isEmpty()
              ? response.receipts().get(i)
              : TakeReceipt.NOWHERE);
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
  static boolean hasAnswer(TakeResult result) {
    List<LimitStatus> statuses = result.statuses();
    for (int i = 0; i < statuses.size(); i++) {
      if (!statuses.get(i).answered()) {
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

  /** Whether the limit refuses this amount in any state, so that no store is needed. */
  public static boolean exceedsCapacity(Draw draw) {
    long capacity = draw.pool().meter().capacity();
    return capacity == 0 || draw.amount() > capacity;
  }

  /** The draws to decide in memory; only looks if the call is refused anyway. */
  List<Draw> localDraws() {
    List<Draw> localDraws = new ArrayList<>(localIndexes.size());
    for (int index : localIndexes) {
      localDraws.add(passes ? draws.get(index) : draws.get(index).asLook());
    }
    return localDraws;
  }

  /** The decision, given the result from memory. */
  TakeResult withLocalResult(TakeResult here) {
    for (int i = 0; i < localIndexes.size(); i++) {
      statuses.set(localIndexes.get(i), here.statuses().get(i));
      if (!here.receipts().isEmpty()) {
        receipts.set(localIndexes.get(i), here.receipts().get(i).onInstance());
      }
    }
    boolean taken = passes && here.taken();
    return new TakeResult(taken, statuses, taken ? receipts : List.of(), response.grants());
  }

  /** The parts that the store took for this call; they are given back if it is refused. */
  List<ReservedPart> takenInStore() {
    List<ReservedPart> parts = new ArrayList<>();
    for (int i = 0; i < response.receipts().size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus status = response.statuses().get(i);
      if (status.answered()
          && status.allowed()
          && draw.amount() > 0
          && draw.intent() != Draw.Intent.LOOK) {
        parts.add(
            new ReservedPart(
                draw.pool(), draw.key(), draw.amount(), 0, response.receipts().get(i)));
      }
    }
    return parts;
  }
}
