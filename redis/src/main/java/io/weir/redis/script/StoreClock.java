package io.weir.redis.script;

/** The time at the beginning of a script's argument. */
public interface StoreClock {
  /** The clock of Redis, read by the script. */
  StoreClock OF_REDIS = () -> 0;

  /** Microseconds since 1970, or 0 for the clock of Redis. */
  long micros();
}
