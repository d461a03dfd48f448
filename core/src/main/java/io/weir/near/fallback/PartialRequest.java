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
 * A call for which the store is known not to answer some draws: sends the others, and widens the
 * answer to the whole call.
 */
final class PartialRequest {
  private final List<Draw> draws;
  private final BitSet unavailable;

  PartialRequest(List<Draw> draws, BitSet unavailable) {
    this.draws = draws;
    this.unavailable = unavailable;
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
    List<LimitStatus> statuses = new ArrayList<>();
    List<TakeReceipt> receipts = new ArrayList<>();
    List<LeaseGrant> grants = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < draws.size(); i++) {
      boolean sent = !unavailable.get(i);
      statuses.add(sent ? others.statuses().get(next) : draws.get(i).unanswered());
      receipts.add(
          sent && !others.receipts().isEmpty() ? others.receipts().get(next) : TakeReceipt.NOWHERE);
      grants.add(sent ? grant(others, next) : LeaseGrant.NOT_SENT);
      next += sent ? 1 : 0;
    }
    return new TakeResult(
        false, statuses, others.receipts().isEmpty() ? List.of() : receipts, grants);
  }

  private static LeaseGrant grant(TakeResult result, int index) {
    return result.grants().isEmpty() ? LeaseGrant.NONE : result.grants().get(index);
  }
}
