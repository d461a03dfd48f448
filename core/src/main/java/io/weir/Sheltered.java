package io.weir;

import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Held;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The store as front ends see it that draw by rules in a form of their own. Whatever goes wrong in
 * it, they are answered as calls by rules are: by the {@link OnFail} of what they draw from.
 */
final class Sheltered extends ForwardingStore {
  private final Asker asker;
  private final Audience audience;

  Sheltered(Store store, Asker asker, Audience audience) {
    super(store);
    this.asker = asker;
    this.audience = audience;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    try {
      return or(super.take(draws), problem -> asker.failed(draws, problem));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(asker.failed(draws, e));
    }
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    try {
      return or(
          super.reserve(reservation, draws), problem -> asker.failed(reservation, draws, problem));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(asker.failed(reservation, draws, e));
    }
  }

  /** What cannot be given back changes nothing about what was decided. */
  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    try {
      return or(super.settle(reservation, parts, term), this::unsettled);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(unsettled(e));
    }
  }

  private Settlement unsettled(Throwable problem) {
    audience.unexpected(problem);
    return Settlement.UNAVAILABLE;
  }

  private static <T> CompletionStage<T> or(
      CompletionStage<T> answer, Function<Throwable, T> failing) {
    CompletableFuture<T> stage = answer.toCompletableFuture();
    return stage.isDone() && !stage.isCompletedExceptionally()
        ? stage
        : stage.exceptionally(failing);
  }
}
