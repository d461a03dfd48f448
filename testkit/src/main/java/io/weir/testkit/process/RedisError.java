package io.weir.testkit.process;

/** An error that Redis answered, in its own words: {@code READONLY You can't write ...}. */
public final class RedisError extends RuntimeException {
  RedisError(String message) {
    super(message);
  }
}
