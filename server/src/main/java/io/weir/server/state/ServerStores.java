package io.weir.server.state;

import io.weir.near.NearStore;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fleet.FleetMembership;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.SharedStoreSettings;
import io.weir.server.http.InternalErrors;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.store.Store;
import io.weir.store.memory.MemoryStore;
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
 * The stores of a process: memory, and Redis if configured.
 *
 * <p>With Redis, the memory store holds state that is local to this instance, and the fallback
 * while Redis is unavailable. The key space of {@code /ratelimit/check} has a memory store of its
 * own, so that keys invented by callers take no room from the rules.
 */
public final class ServerStores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStores.class);

  private final String name;
  private final MemoryStore memory;
  private final MemoryStore adHocMemory;
  private final Optional<SharedRedis> shared;
  private final Store adHoc;
  private final HotKeyAdvisor.Layout layout;

  /** The store shared by all instances, and the membership that counts them. */
  private record SharedRedis(RedisStore store, FleetMembership fleet) {}

  private ServerStores(ServerConfig config, Optional<RedisStore> redis, InternalErrors errors) {
    this.name = config.store();
    this.layout = HotKeyAdvisor.Layout.of(config.shared());
    this.memory = config.memory().store();
    this.adHocMemory = config.memory().store();
    this.shared =
        redis.map(
            store ->
                new SharedRedis(
                    store,
                    FleetMembership.join(
                        store, SystemTime.INSTANCE, config.shared().minInstances())));
    this.adHoc =
        shared.isPresent()
            ? NearStore.before(
                shared.get().store,
                adHocMemory,
                SystemTime.INSTANCE,
                this::instances,
                errors::report)
            : adHocMemory;
  }

  /**
   * Opens the stores; does not wait for Redis.
   *
   * @throws ConfigException if Redis can never be reached with these settings
   */
  public static ServerStores open(ServerConfig config, RedisEvents events, InternalErrors errors)
      throws ConfigException {
    try {
      return new ServerStores(
          config, config.redis().map(options -> open(options, config.shared(), events)), errors);
    } catch (RuntimeException e) {
      throw new ConfigException(
          List.of("the store " + config.store() + " cannot be used: " + e.getMessage()));
    }
  }

  private static RedisStore open(
      RedisOptions options, SharedStoreSettings shared, RedisEvents events) {
    return shared
        .hot()
        .map(hot -> RedisStore.open(options, hot.redis(), hot.rules(), SystemTime.INSTANCE, events))
        .orElseGet(() -> RedisStore.open(options, SystemTime.INSTANCE, events));
  }

  /** A description of the store, without passwords. */
  public String name() {
    return name;
  }

  /** The store of state that is local to this process. */
  public MemoryStore memory() {
    return memory;
  }

  /** The store that rules draw from. */
  public Store shared() {
    return shared.isPresent() ? shared.get().store : memory;
  }

  /** The store for limits that are part of the request ({@code /ratelimit/check}). */
  public Store adHoc() {
    return adHoc;
  }

  /** The number of instances that share the store, as of the last heartbeat. */
  public int instances() {
    return shared.map(redis -> redis.fleet.instances()).orElse(1);
  }

  /** The layout of the shared store. */
  public HotKeyAdvisor.Layout layout() {
    return layout;
  }

  /** The number of keys in memory. */
  public long keys() {
    return memory.keys() + adHocMemory.keys();
  }

  /** The number of draws from overflow buckets because there was no room for a key. */
  public long overflowed() {
    return memory.overflowed() + adHocMemory.overflowed();
  }

  /**
   * Waits until Redis is connected and warmed up, at most this long: a process that decides by
   * {@code on_fail} is better than none.
   */
  public void awaitReady(Duration timeout) {
    if (shared.isEmpty()) {
      return;
    }
    try {
      shared.get().store.ready().toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "the store {} is not ready after {} ms; starting without it, each rule decides by its on_fail",
          name,
          timeout.toMillis());
    }
  }

  /** Leaves the fleet; the store stays open until {@link #close}. */
  public void leaveFleet() {
    shared.ifPresent(redis -> redis.fleet.close());
  }

  /** Leaves the fleet and closes the stores. */
  @Override
  public void close() {
    leaveFleet();
    adHoc.close();
    shared.ifPresent(redis -> redis.store.close());
  }
}
