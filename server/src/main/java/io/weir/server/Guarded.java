package io.weir.server;

import io.weir.tier.Guard;
import io.weir.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Lets work begin only if the guard has room, and tells how long it took. */
final class Guarded {
  private final Guard guard;
  private final TimeSource time;
  private final LongConsumer tookMicros;

  Guarded(Guard guard, TimeSource time, LongConsumer tookMicros) {
    this.guard = guard;
    this.time = time;
    this.tookMicros = tookMicros;
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
    long begun = time.micros();
    CompletableFuture<T> done;
    try {
      done = work.get().toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      throw e;
    }
    if (done.isDone()) {
      ended(begun);
    } else {
      done.whenComplete((value, failure) -> ended(begun));
    }
    return done;
  }

  private void ended(long begun) {
    guard.exit();
    tookMicros.accept(time.micros() - begun);
  }
}
