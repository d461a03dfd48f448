package io.weir.server.front;

import io.weir.server.http.HttpProblemException;
import io.weir.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Runs calls under the load guard, and measures their duration. */
public final class GuardedCalls {
  private final LoadShedder guard;
  private final TimeSource time;
  private final LongConsumer durationMicros;

  public GuardedCalls(LoadShedder guard, TimeSource time, LongConsumer durationMicros) {
    this.guard = guard;
    this.time = time;
    this.durationMicros = durationMicros;
  }

  /**
   * Starts a call.
   *
   * @throws HttpProblemException if the process is overloaded
   */
  public <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> work) {
    if (!guard.tryEnter()) {
      throw HttpProblemException.unavailable("overloaded; retry in 1 s");
    }
    long start = time.micros();
    CompletableFuture<T> done;
    try {
      done = work.get().toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      throw e;
    }
    if (done.isDone()) {
      onEnd(start);
    } else {
      done.whenComplete((value, failure) -> onEnd(start));
    }
    return done;
  }

  private void onEnd(long start) {
    guard.exit();
    durationMicros.accept(time.micros() - start);
  }
}
