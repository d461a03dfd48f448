package io.weir.testkit;

import io.weir.Key;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** A store that is known to be unavailable at times; then takes are not sent to it. */
public final class UnavailableStore extends ForwardingStore {
  private final BooleanSupplier unavailable;

  public UnavailableStore(Store next, BooleanSupplier unavailable) {
    super(next);
    this.unavailable = unavailable;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return unavailable.getAsBoolean()
        ? CompletableFuture.completedFuture(TakeResult.notSent(draws))
        : super.take(draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return unavailable.getAsBoolean()
        ? CompletableFuture.completedFuture(TakeResult.notSent(draws))
        : super.reserve(reservation, draws);
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    return unavailable.getAsBoolean() || super.isUnavailable(pool, key);
  }
}
