package io.weir.server;

import io.weir.tier.Guard;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Lets work begin only if the guard has room, and tells the guard when it is done. */
final class Guarded {
  private final Guard guard;

  Guarded(Guard guard) {
    this.guard = guard;
  }

  /**
   * Begins work.
   *
   * @throws HttpProblem if the process has enough to do
   */
  <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> work) {
    if (!guard.tryEnter()) {
      throw HttpProblem.unavailable("this process is at its guard; try again in a second");
    }
    CompletableFuture<T> done;
    try {
      done = work.get().toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      throw e;
    }
    if (done.isDone()) {
      guard.exit();
    } else {
      done.whenComplete((value, failure) -> guard.exit());
    }
    return done;
  }
}
