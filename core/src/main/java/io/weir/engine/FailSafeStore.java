package io.weir.engine;

import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The store handed to front ends that compile their own rules (Envoy). Any failure becomes the
 * {@link OnFail} decision of the draw's pool; no exception leaves it.
 */
public final class FailSafeStore extends ForwardingStore {
  private final DrawExecutor executor;
  private final DecisionNotifier notifier;

  public FailSafeStore(Store store, DrawExecutor executor, DecisionNotifier notifier) {
    super(store);
    this.executor = executor;
    this.notifier = notifier;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    try {
      return onFailure(super.take(draws), problem -> executor.failed(draws, problem));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(executor.failed(draws, e));
    }
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    try {
      return onFailure(
          super.reserve(reservation, draws),
          problem -> executor.failed(reservation, draws, problem));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(executor.failed(reservation, draws, e));
    }
  }

  /** A failed settlement is reported as unavailable; the decision stays as it was. */
  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    try {
      return onFailure(super.settle(reservation, parts, terms), this::unsettled);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(unsettled(e));
    }
  }

  private SettlementResult unsettled(Throwable problem) {
    notifier.onError(problem);
    return SettlementResult.UNAVAILABLE;
  }

  private static <T> CompletionStage<T> onFailure(
      CompletionStage<T> answer, Function<Throwable, T> failing) {
    CompletableFuture<T> stage = answer.toCompletableFuture();
    return stage.isDone() && !stage.isCompletedExceptionally()
        ? stage
        : stage.exceptionally(failing);
  }
}
