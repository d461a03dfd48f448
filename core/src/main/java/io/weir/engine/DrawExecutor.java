package io.weir.engine;

import io.weir.near.NearStore;
import io.weir.store.Draw;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for what a call draws. There is an answer whatever goes wrong: by rules' {@link
 * OnFail}.
 */
public final class DrawExecutor {
  private final Store store;
  private final MemoryStore local;
  private final @Nullable NearStore nearStore;
  private final ShardedExecutor shards;
  private final DecisionNotifier notifier;

  /**
   * An asker.
   *
   * @param local what of the store is in this process, or all of it
   * @param tier what stands before a shared store; null where there is none
   */
  public DrawExecutor(
      Store store,
      MemoryStore local,
      @Nullable NearStore nearStore,
      ShardedExecutor shards,
      DecisionNotifier notifier) {
    this.store = store;
    this.local = local;
    this.nearStore = nearStore;
    this.shards = shards;
    this.notifier = notifier;
  }

  /** Takes what a call draws; blocks where the store is elsewhere. */
  public TakeResult takeSync(CompiledRules now, List<Draw> draws) {
    try {
      return store == local && !now.index().hasShards()
          ? local.takeSync(draws)
          : send(now, draws).toCompletableFuture().join();
    } catch (RuntimeException | Error e) {
      return failed(draws, e);
    }
  }

  /** Takes what a call draws, and says what comes of it. */
  public <T> CompletionStage<T> take(
      CompiledRules now, List<Draw> draws, Function<TakeResult, T> then) {
    CompletionStage<TakeResult> result;
    try {
      result = send(now, draws);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(then.apply(failed(draws, e)));
    }
    return result.handle(
        (taken, problem) -> then.apply(problem == null ? taken : failed(draws, problem)));
  }

  /** Asks the store, or shards where limits are split; may throw. */
  private CompletionStage<TakeResult> send(CompiledRules now, List<Draw> draws) {
    return now.index().hasShards()
        ? shards.take(draws).thenApply(ShardAttempt::result)
        : store.take(draws);
  }

  /** Looks at what a call draws, and has the store say in words what is there. */
  public <T> CompletionStage<T> describe(
      List<Draw> draws, BiFunction<ShardAttempt, List<String>, T> then) {
    return shards
        .take(draws)
        .thenCompose(
            attempt ->
                store.describe(attempt.draws()).thenApply(texts -> then.apply(attempt, texts)));
  }

  /** What becomes of draws on which the store failed as it never should. */
  public TakeResult failed(List<Draw> draws, Throwable problem) {
    if (nearStore != null) {
      return nearStore.failed(draws, problem);
    }
    notifier.onError(problem);
    return NearStore.lastResort(draws);
  }

  /** The same of draws to be settled later by this id. */
  public TakeResult failed(long reservation, List<Draw> draws, Throwable problem) {
    if (nearStore != null) {
      return nearStore.failed(reservation, draws, problem);
    }
    notifier.onError(problem);
    return NearStore.lastResort(draws);
  }
}
