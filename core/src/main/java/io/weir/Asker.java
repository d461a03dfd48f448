package io.weir;

import io.weir.store.Draw;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.tier.Tier;
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
final class Asker {
  private final Store store;
  private final MemoryStore local;
  private final @Nullable Tier tier;
  private final Shards shards;
  private final Audience audience;

  /**
   * An asker.
   *
   * @param local what of the store is in this process, or all of it
   * @param tier what stands before a shared store; null where there is none
   */
  Asker(Store store, MemoryStore local, @Nullable Tier tier, Shards shards, Audience audience) {
    this.store = store;
    this.local = local;
    this.tier = tier;
    this.shards = shards;
    this.audience = audience;
  }

  /** Takes what a call draws; blocks where the store is elsewhere. */
  Taking takeNow(Rules now, List<Draw> draws) {
    try {
      return store == local && !now.index().hasShards()
          ? local.takeNow(draws)
          : ask(now, draws).toCompletableFuture().join();
    } catch (RuntimeException | Error e) {
      return failed(draws, e);
    }
  }

  /** Takes what a call draws, and says what comes of it. */
  <T> CompletionStage<T> take(Rules now, List<Draw> draws, Function<Taking, T> then) {
    CompletionStage<Taking> taking;
    try {
      taking = ask(now, draws);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(then.apply(failed(draws, e)));
    }
    return taking.handle(
        (taken, problem) -> then.apply(problem == null ? taken : failed(draws, problem)));
  }

  /** Asks the store, or shards where limits are split; may throw. */
  private CompletionStage<Taking> ask(Rules now, List<Draw> draws) {
    return now.index().hasShards()
        ? shards.take(draws).thenApply(Tried::taking)
        : store.take(draws);
  }

  /** Looks at what a call draws, and has the store say in words what is there. */
  <T> CompletionStage<T> describe(List<Draw> draws, BiFunction<Tried, List<String>, T> then) {
    return shards
        .take(draws)
        .thenCompose(
            tried -> store.describe(tried.draws()).thenApply(texts -> then.apply(tried, texts)));
  }

  /** What becomes of draws on which the store failed as it never should. */
  Taking failed(List<Draw> draws, Throwable problem) {
    if (tier != null) {
      return tier.failed(draws, problem);
    }
    audience.unexpected(problem);
    return Tier.lastResort(draws);
  }

  /** The same of draws to be settled later by this id. */
  Taking failed(long reservation, List<Draw> draws, Throwable problem) {
    if (tier != null) {
      return tier.failed(reservation, draws, problem);
    }
    audience.unexpected(problem);
    return Tier.lastResort(draws);
  }
}
