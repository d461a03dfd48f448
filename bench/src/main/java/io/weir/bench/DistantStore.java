package io.weir.bench;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.testkit.lease.LendingStore;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A store that lends, half a millisecond away. */
final class DistantStore implements Store {
  private final Executor far = CompletableFuture.delayedExecutor(500, TimeUnit.MICROSECONDS);
  private final LendingStore store = new LendingStore(SystemTime.INSTANCE::wallMicros);

  private <T> CompletionStage<T> later(Supplier<CompletionStage<T>> question) {
    return CompletableFuture.supplyAsync(question, far).thenCompose(answer -> answer);
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return later(() -> store.take(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return later(() -> store.reserve(reservation, draws));
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Duration within) {
    return later(() -> store.settle(reservation, parts, within));
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return later(() -> store.release(reservation, parts));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return later(() -> store.renew(reservation, parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return later(() -> store.refund(pool, key, amount));
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return later(() -> store.endLease(pool, key, lease));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return later(() -> store.describe(draws));
  }

  @Override
  public void close() {
    store.close();
  }
}
