package io.weir.base;

import java.time.Duration;

/** Converts between durations and the whole microseconds (µs) that decisions are computed in. */
public final class Micros {
  /** A wait that cannot help. */
  public static final long NEVER = -1;

  private Micros() {}

  /** A duration in microseconds, rounded down. */
  public static long of(Duration time) {
    return Math.addExact(Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNano() / 1000);
  }

  /** The duration of so many microseconds. */
  public static Duration toDuration(long micros) {
    return Duration.ofSeconds(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }

  /** Microseconds as whole milliseconds, rounded up. */
  public static long toMillis(long micros) {
    return (micros + 999) / 1000;
  }

  /** As {@link #toMillis}, of a wait; {@link #NEVER} where waiting cannot help. */
  public static long waitMillis(long micros) {
    return micros < 0 ? NEVER : toMillis(micros);
  }
}
