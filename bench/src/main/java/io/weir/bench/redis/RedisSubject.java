package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/** A limiter on Redis under load: asynchronous, one call by key. */
interface RedisSubject extends AutoCloseable {
  /** Takes 1 from the bucket of a key, or from one bucket per rule, if available. */
  CompletionStage<Boolean> ask(String key);

  /** Whether {@link #ask} blocks until the answer, so that every call needs a separate thread. */
  default boolean blocks() {
    return false;
  }

  /** Closes its connections. */
  @Override
  void close();
}
