package io.weir.redis.contract;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.ForwardingStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store that adds a look at a window to every other call, so that the bucket script and the
 * general script alternate on the same buckets.
 */
final class MixedScriptStore extends ForwardingStore {
  private static final Pool COMPANION =
      new Pool("companion", "companion", "1", Limit.parse("fixed-window 1/h"), false);

  private int calls;

  MixedScriptStore(Store store) {
    super(store);
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return reserve(0, draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    if (calls++ % 2 == 0) {
      return super.reserve(reservation, draws);
    }
    List<Draw> more = new ArrayList<>(draws);
    more.add(new Draw(COMPANION, draws.get(0).key(), 1, Mode.SHADOW, Intent.LOOK));
    int count = draws.size();
    return super.reserve(reservation, more)
        .thenApply(
            result ->
                new TakeResult(
                    result.taken(),
                    result.statuses().subList(0, count),
                    result.receipts().isEmpty() ? List.of() : result.receipts().subList(0, count),
                    result.grants().isEmpty() ? List.of() : result.grants().subList(0, count)));
  }
}
