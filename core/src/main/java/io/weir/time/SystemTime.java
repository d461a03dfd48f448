package io.weir.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks. */
public final class SystemTime implements TimeSource {
  public static final SystemTime INSTANCE = new SystemTime();

  private final Clock wall = Clock.systemUTC();

  private SystemTime() {}

  @Override
  public long micros() {
    return System.nanoTime() / 1000;
  }

  @Override
  public boolean steady() {
    return true;
  }

  @Override
  public long wallMicros() {
    Instant now = wall.instant();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
  }

  @Override
  public CompletableFuture<Void> delay(Duration delay) {
    // Not on the timer thread: there is only one, and a caller's continuation may block.
    Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS);
    return CompletableFuture.runAsync(() -> {}, later);
  }
}
