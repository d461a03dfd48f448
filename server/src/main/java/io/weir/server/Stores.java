package io.weir.server;

import io.weir.redis.RedisEvents;
import io.weir.redis.RedisStore;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.tier.Fallback;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the state of a process lives: in memory, and in Redis where one is named.
 *
 * <p>With Redis, memory keeps what is about this instance alone, and stands in while Redis is away.
 * The key space of {@code /ratelimit/check} has a memory of its own, so that what callers make up
 * there takes no room from the rules.
 */
final class Stores {
  private static final Logger LOG = LoggerFactory.getLogger(Stores.class);

  private final String name;
  private final MemoryStore memory;
  private final MemoryStore adHocMemory;
  private final Optional<RedisStore> redis;

  private Stores(ServerConfig config, Optional<RedisStore> redis) {
    this.name = config.store();
    this.memory = config.memory().store();
    this.adHocMemory = config.memory().store();
    this.redis = redis;
  }

  /**
   * Opens the stores; does not wait for Redis.
   *
   * @throws ConfigException if Redis could never be reached with these settings
   */
  static Stores open(ServerConfig config, RedisEvents events) throws ConfigException {
    try {
      return new Stores(
          config,
          config.redis().map(options -> RedisStore.open(options, SystemTime.INSTANCE, events)));
    } catch (RuntimeException e) {
      throw new ConfigException(
          List.of("the store " + config.store() + " cannot be used: " + e.getMessage()));
    }
  }

  /** In words, without any password. */
  String name() {
    return name;
  }

  /** What stays in this process. */
  MemoryStore memory() {
    return memory;
  }

  /** What rules draw from. */
  Store shared() {
    return redis.isPresent() ? redis.get() : memory;
  }

  /** What limits draw from that callers bring along. */
  Store adHoc(Faults faults) {
    return redis.isPresent()
        ? new Fallback(redis.get(), adHocMemory, SystemTime.INSTANCE, faults::report)
        : adHocMemory;
  }

  /** How many keys this process remembers. */
  long keys() {
    return memory.keys() + adHocMemory.keys();
  }

  /**
   * Waits until Redis was reached and the way there is warm, but no longer than this: a process
   * that decides without it is better than none.
   */
  void awaitReady(Duration patience) {
    if (redis.isEmpty()) {
      return;
    }
    try {
      redis.get().ready().toCompletableFuture().get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "the store {} is not ready after {} ms; going on without it, by each rule's on_fail",
          name,
          patience.toMillis());
    }
  }
}
