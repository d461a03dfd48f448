package io.weir.store;

import io.weir.Key;
import io.weir.Settlement;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store before a store: passes everything on, but for what a subclass has to say itself. */
public abstract class ForwardingStore implements Store {
  private final Store next;

  protected ForwardingStore(Store next) {
    this.next = next;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return next.take(draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return next.reserve(reservation, draws);
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return next.settle(reservation, parts, term);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return next.release(reservation, parts);
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return next.renew(reservation, parts);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return next.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return next.endLease(pool, key, lease);
  }

  @Override
  public boolean isAway(Pool pool, Key key) {
    return next.isAway(pool, key);
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
