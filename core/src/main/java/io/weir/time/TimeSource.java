package io.weir.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The clocks and timer that Weir uses: {@link SystemTime} in production, {@link VirtualTime} in
 * tests and simulations.
 */
public interface TimeSource {
  /** Microseconds on the monotonic clock, from an arbitrary origin. */
  long micros();

  /** Microseconds since the epoch (1970) on the wall clock, which may step. */
  long wallMicros();

  /** Whether {@link #micros} never decreases, not even across threads. */
  default boolean steady() {
    return false;
  }

  /** A stage that completes after this time. */
  CompletableFuture<Void> delay(Duration delay);
}
