package io.weir.testkit.process;

/** An error reply of Redis with its original text: {@code READONLY You can't write ...}. */
public final class RedisReplyException extends RuntimeException {
  RedisReplyException(String message) {
    super(message);
  }
}
