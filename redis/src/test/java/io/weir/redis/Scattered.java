package io.weir.redis;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store whose rules are each about something else, so that one call's buckets lie in several
 * slots of a Cluster, or on several nodes of a ring.
 */
record Scattered(Store store) implements Store {
  private static Pool apart(Pool pool) {
    return pool.about(pool.rule());
  }

  private static List<Draw> draws(List<Draw> draws) {
    return draws.stream()
        .map(d -> new Draw(apart(d.pool()), d.key(), d.amount(), d.mode(), d.intent(), d.unit()))
        .toList();
  }

  private static List<Held> parts(List<Held> parts) {
    return parts.stream()
        .map(p -> new Held(apart(p.pool()), p.key(), p.amount(), p.owed(), p.stamp()))
        .toList();
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return store.take(draws(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return store.reserve(reservation, draws(draws));
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return store.settle(reservation, parts(parts), term);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return store.release(reservation, parts(parts));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return store.renew(reservation, parts(parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return store.refund(apart(pool), key, amount);
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
