package io.weir.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Where all time comes from. Production runs on {@link SystemTime}, tests and simulations on {@link
 * VirtualTime}.
 */
public interface TimeSource {
  /** Microseconds on a clock that never steps; its zero means nothing. */
  long micros();

  /** Microseconds since 1970 on the wall clock, which may step. */
  long wallMicros();

  /** Whether {@link #micros} never runs backwards, not even between threads. */
  default boolean steady() {
    return false;
  }

  /** Completes once this much time has passed. */
  CompletableFuture<Void> delay(Duration delay);
}
