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
 * Sends the draws of a call to the store. If the store fails, the rules decide by {@code on_fail}.
 */
public final class DrawExecutor {
  private final Store store;
  private final MemoryStore local;
  private final @Nullable NearStore nearStore;
  private final ShardedExecutor shards;
  private final DecisionNotifier notifier;

  /**
   * Creates an executor.
   *
   * @param local the part of the store that is in this process, or all of it
   * @param nearStore the chain in front of a shared store; null if there is none
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

  /** Takes the draws of a call. Blocks if the store is remote. */
  public TakeResult takeSync(CompiledRules rules, List<Draw> draws) {
    try {
      return store == local && !rules.index().hasShards()
          ? local.takeSync(draws)
          : send(rules, draws).toCompletableFuture().join();
    } catch (RuntimeException | Error e) {
      return failed(draws, e);
    }
  }

  /** Takes the draws of a call, and maps the result. */
  public <T> CompletionStage<T> take(
      CompiledRules rules, List<Draw> draws, Function<TakeResult, T> then) {
    CompletionStage<TakeResult> result;
    try {
      result = send(rules, draws);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(then.apply(failed(draws, e)));
    }
    return result.handle(
        (taken, problem) -> then.apply(problem == null ? taken : failed(draws, problem)));
  }

  /** Sends draws to the store, by way of shards if limits are split. May throw. */
  private CompletionStage<TakeResult> send(CompiledRules rules, List<Draw> draws) {
    return rules.index().hasShards()
        ? shards.take(draws).thenApply(ShardAttempt::result)
        : store.take(draws);
  }

  /** Looks at the draws of a call, and has the store describe their state. */
  public <T> CompletionStage<T> describe(
      List<Draw> draws, BiFunction<ShardAttempt, List<String>, T> then) {
    return shards
        .take(draws)
        .thenCompose(
            attempt ->
                store.describe(attempt.draws()).thenApply(texts -> then.apply(attempt, texts)));
  }

  /** The result of draws on which the store failed unexpectedly. */
  public TakeResult failed(List<Draw> draws, Throwable problem) {
    if (nearStore != null) {
      return nearStore.failed(draws, problem);
    }
    notifier.onError(problem);
    return NearStore.decideWithoutState(draws);
  }

  /** The result of draws with this reservation id, on which the store failed unexpectedly. */
  public TakeResult failed(long reservation, List<Draw> draws, Throwable problem) {
    if (nearStore != null) {
      return nearStore.failed(reservation, draws, problem);
    }
    notifier.onError(problem);
    return NearStore.decideWithoutState(draws);
  }
}
