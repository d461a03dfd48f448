package io.weir.store;

import io.weir.Key;
import io.weir.SettlementResult;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A decorator: passes every call on to the next store unless a subclass overrides it. */
public abstract class ForwardingStore implements Store {
  private final Store next;

  public ForwardingStore(Store next) {
    this.next = next;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return next.take(draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return next.reserve(reservation, draws);
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return next.settle(reservation, parts, terms);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return next.release(reservation, parts);
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return next.renew(reservation, parts);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return next.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return next.grant(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return next.reset(pool, key);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return next.endLease(pool, key, lease);
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    return next.isUnavailable(pool, key);
  }

  @Override
  public int instances() {
    return next.instances();
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return next.describe(draws);
  }

  @Override
  public void close() {
    next.close();
  }
}
