package io.weir.redis.script;

/** The time that goes in front of a script's argument. */
public interface StoreClock {
  /** Lets the script read Redis' own clock. */
  StoreClock OF_REDIS = () -> 0;

  /** Microseconds since 1970, or 0 for Redis' own clock. */
  long micros();
}
