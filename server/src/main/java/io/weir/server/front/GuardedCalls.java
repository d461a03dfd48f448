package io.weir.server.front;

import io.weir.server.http.HttpProblemException;
import io.weir.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Lets work begin only if the guard has room, and tells how long it took. */
public final class GuardedCalls {
  private final LoadShedder guard;
  private final TimeSource time;
  private final LongConsumer tookMicros;

  public GuardedCalls(LoadShedder guard, TimeSource time, LongConsumer tookMicros) {
    this.guard = guard;
    this.time = time;
    this.tookMicros = tookMicros;
  }

  /**
   * Begins work.
   *
   * @throws HttpProblemException if the process has enough to do
   */
  public <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> work) {
    if (!guard.tryEnter()) {
      throw HttpProblemException.unavailable("this process is at its guard; try again in a second");
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
      onEnd(begun);
    } else {
      done.whenComplete((value, failure) -> onEnd(begun));
    }
    return done;
  }

  private void onEnd(long begun) {
    guard.exit();
    tookMicros.accept(time.micros() - begun);
  }
}
