package io.weir.http;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that nobody answers for. */
final class AwayStore implements Store {
  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(Taking.unanswered(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return take(draws);
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return CompletableFuture.completedFuture(Settlement.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return CompletableFuture.completedFuture(Settlement.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return CompletableFuture.completedFuture(Settlement.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public void close() {}
}
