package io.weir.testkit.process;

/** An error that Redis answered, in its own words: {@code READONLY You can't write ...}. */
public final class RedisReplyException extends RuntimeException {
  RedisReplyException(String message) {
    super(message);
  }
}
