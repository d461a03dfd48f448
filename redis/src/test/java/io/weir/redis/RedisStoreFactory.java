package io.weir.redis;

import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.time.TimeSource;
import java.time.Duration;

/** Stores on connections that a test controls. */
public final class RedisStoreFactory {
  private RedisStoreFactory() {}

  /** A store that runs its scripts on the given runner. */
  public static RedisStore on(
      ScriptRunner runner, KeyNames names, TimeSource time, Duration timeout) {
    return new RedisStore(runner, names, time, timeout);
  }
}
