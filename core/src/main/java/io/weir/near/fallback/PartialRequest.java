package io.weir.near.fallback;

import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A call of which the store is known not to answer some draws: it is asked for the others, and its
 * answer is that to the whole call.
 */
final class PartialRequest {
  private final List<Draw> draws;
  private final BitSet unavailable;

  PartialRequest(List<Draw> draws, BitSet away) {
    this.draws = draws;
    this.unavailable = away;
  }

  CompletionStage<TakeResult> send(Store store, long id) {
    List<Draw> others = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (!unavailable.get(i)) {
        others.add(draws.get(i));
      }
    }
    return others.isEmpty()
        ? CompletableFuture.completedFuture(TakeResult.notSent(draws))
        : store.reserve(id, others).thenApply(this::widened);
  }

  private TakeResult widened(TakeResult others) {
    List<LimitStatus> standings = new ArrayList<>();
    List<TakeReceipt> stamps = new ArrayList<>();
    List<LeaseGrant> grants = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < draws.size(); i++) {
      boolean asked = !unavailable.get(i);
      standings.add(asked ? others.statuses().get(next) : draws.get(i).unanswered());
      stamps.add(
          asked && !others.receipts().isEmpty()
              ? others.receipts().get(next)
              : TakeReceipt.NOWHERE);
      grants.add(asked ? grant(others, next) : LeaseGrant.NOT_SENT);
      next += asked ? 1 : 0;
    }
    return new TakeResult(
        false, standings, others.receipts().isEmpty() ? List.of() : stamps, grants);
  }

  private static LeaseGrant grant(TakeResult taking, int place) {
    return taking.grants().isEmpty() ? LeaseGrant.NONE : taking.grants().get(place);
  }
}
