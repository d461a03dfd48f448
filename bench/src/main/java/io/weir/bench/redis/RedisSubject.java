package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/** A limiter on Redis as the load sees it: one question by key, answered some time later. */
interface RedisSubject extends AutoCloseable {
  /** Takes 1 from the bucket of a key, or from one bucket of it per rule, if it is there. */
  CompletionStage<Boolean> ask(String key);

  /** Whether {@link #ask} waits for the answer, so that every call needs a thread of its own. */
  default boolean blocks() {
    return false;
  }

  /** Ends its connections. */
  @Override
  void close();
}
