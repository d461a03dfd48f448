package io.weir.http;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that never answers. */
final class UnreachableStore implements Store {
  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(TakeResult.unanswered(draws));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return take(draws);
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public void close() {}
}
