package io.weir.redis.contract;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store whose rules have different leading dimensions, so that the buckets of one call are in
 * several slots of a Cluster, or on several nodes of a ring.
 */
record MultiSlotStore(Store store) implements Store {
  private static Pool apart(Pool pool) {
    return pool.withDimension(pool.rule());
  }

  private static List<Draw> draws(List<Draw> draws) {
    return draws.stream()
        .map(d -> new Draw(apart(d.pool()), d.key(), d.amount(), d.mode(), d.intent(), d.unit()))
        .toList();
  }

  private static List<ReservedPart> parts(List<ReservedPart> parts) {
    return parts.stream()
        .map(
            p ->
                new ReservedPart(
                    apart(p.pool()), p.key(), p.amount(), p.actualAmount(), p.receipt()))
        .toList();
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return store.take(draws(draws));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return store.reserve(reservation, draws(draws));
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return store.settle(reservation, parts(parts), terms);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return store.release(reservation, parts(parts));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return store.renew(reservation, parts(parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return store.refund(apart(pool), key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return store.grant(apart(pool), key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return store.reset(apart(pool), key);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return store.describe(draws(draws));
  }

  @Override
  public void close() {
    store.close();
  }
}
