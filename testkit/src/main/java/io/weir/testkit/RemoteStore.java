package io.weir.testkit;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store behind a transport that every request and response has to pass. */
public abstract class RemoteStore implements Store {
  private final Store store;

  public RemoteStore(Store store) {
    this.store = store;
  }

  /** Sends a request to the store behind, over the transport. */
  protected abstract <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request);

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return send(() -> store.take(draws));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return send(() -> store.reserve(reservation, draws));
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return send(() -> store.settle(reservation, parts, terms));
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return send(() -> store.release(reservation, parts));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return send(() -> store.renew(reservation, parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return send(() -> store.refund(pool, key, amount));
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return send(() -> store.grant(pool, key, amount));
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return send(() -> store.reset(pool, key));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return send(() -> store.endLease(pool, key, lease));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return send(() -> store.describe(draws));
  }

  @Override
  public void close() {
    store.close();
  }
}
