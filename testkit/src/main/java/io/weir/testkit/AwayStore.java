package io.weir.testkit;

import io.weir.Key;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** A store that is known to be away at times: then it is never heard of what would be taken. */
public final class AwayStore extends ForwardingStore {
  private final BooleanSupplier away;

  public AwayStore(Store next, BooleanSupplier away) {
    super(next);
    this.away = away;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return away.getAsBoolean()
        ? CompletableFuture.completedFuture(Taking.unsent(draws))
        : super.take(draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return away.getAsBoolean()
        ? CompletableFuture.completedFuture(Taking.unsent(draws))
        : super.reserve(reservation, draws);
  }

  @Override
  public boolean isAway(Pool pool, Key key) {
    return away.getAsBoolean() || super.isAway(pool, key);
  }
}
