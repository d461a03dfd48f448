package io.weir.redis;

import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The machine's clocks, wrong by a while. */
record SkewedTime(Duration by) implements TimeSource {
  @Override
  public long micros() {
    return SystemTime.INSTANCE.micros() + by.toNanos() / 1000;
  }

  @Override
  public long wallMicros() {
    return SystemTime.INSTANCE.wallMicros() + by.toNanos() / 1000;
  }

  @Override
  public CompletableFuture<Void> after(Duration delay) {
    return SystemTime.INSTANCE.after(delay);
  }
}
