package io.weir.tier;

import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Store;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A call of which the store is known not to answer some draws: it is asked for the others, and its
 * answer is that to the whole call.
 */
final class AskedInPart {
  private final List<Draw> draws;
  private final BitSet away;

  AskedInPart(List<Draw> draws, BitSet away) {
    this.draws = draws;
    this.away = away;
  }

  CompletionStage<Taking> ask(Store store, long id) {
    List<Draw> others = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (!away.get(i)) {
        others.add(draws.get(i));
      }
    }
    return others.isEmpty()
        ? CompletableFuture.completedFuture(Taking.unsent(draws))
        : store.reserve(id, others).thenApply(this::whole);
  }

  private Taking whole(Taking others) {
    List<Standing> standings = new ArrayList<>();
    List<Stamp> stamps = new ArrayList<>();
    List<Grant> grants = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < draws.size(); i++) {
      boolean asked = !away.get(i);
      standings.add(asked ? others.standings().get(next) : draws.get(i).unanswered());
      stamps.add(asked && !others.stamps().isEmpty() ? others.stamps().get(next) : Stamp.NOWHERE);
      grants.add(asked ? grant(others, next) : Grant.UNSENT);
      next += asked ? 1 : 0;
    }
    return new Taking(false, standings, others.stamps().isEmpty() ? List.of() : stamps, grants);
  }

  private static Grant grant(Taking taking, int place) {
    return taking.grants().isEmpty() ? Grant.NONE : taking.grants().get(place);
  }
}
