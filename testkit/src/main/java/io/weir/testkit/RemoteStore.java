package io.weir.testkit;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store behind something that every question and its answer have to pass. */
public abstract class RemoteStore implements Store {
  private final Store store;

  protected RemoteStore(Store store) {
    this.store = store;
  }

  /** Asks the store behind, in the way that questions go. */
  protected abstract <T> CompletionStage<T> send(Supplier<CompletionStage<T>> question);

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return send(() -> store.take(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return send(() -> store.reserve(reservation, draws));
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return send(() -> store.settle(reservation, parts, term));
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return send(() -> store.release(reservation, parts));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return send(() -> store.renew(reservation, parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return send(() -> store.refund(pool, key, amount));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
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
