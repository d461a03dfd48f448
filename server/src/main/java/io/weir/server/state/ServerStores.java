package io.weir.server.state;

import io.weir.near.NearStore;
import io.weir.redis.FleetMembership;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
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
 * Where the state of a process lives: in memory, and in Redis where one is named.
 *
 * <p>With Redis, memory keeps what is about this instance alone, and stands in while Redis is away.
 * The key space of {@code /ratelimit/check} has a memory of its own, so that what callers make up
 * there takes no room from the rules.
 */
public final class ServerStores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStores.class);

  private final String name;
  private final MemoryStore memory;
  private final MemoryStore adHocMemory;
  private final Optional<SharedRedis> shared;
  private final Store adHoc;
  private final HotKeyAdvisor.Layout layout;

  /** The store that instances share, and how many they are. */
  private record SharedRedis(RedisStore store, FleetMembership fleet) {}

  private ServerStores(ServerConfig config, Optional<RedisStore> redis, InternalErrors faults) {
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
                faults::report)
            : adHocMemory;
  }

  /**
   * Opens the stores; does not wait for Redis.
   *
   * @throws ConfigException if Redis could never be reached with these settings
   */
  public static ServerStores open(ServerConfig config, RedisEvents events, InternalErrors faults)
      throws ConfigException {
    try {
      return new ServerStores(
          config, config.redis().map(options -> open(options, config.shared(), events)), faults);
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

  /** In words, without any password. */
  public String name() {
    return name;
  }

  /** What stays in this process. */
  public MemoryStore memory() {
    return memory;
  }

  /** What rules draw from. */
  public Store shared() {
    return shared.isPresent() ? shared.get().store : memory;
  }

  /** What limits draw from that callers bring along. */
  public Store adHoc() {
    return adHoc;
  }

  /** How many instances share the store, as last heard. */
  public int instances() {
    return shared.map(there -> there.fleet.instances()).orElse(1);
  }

  /** What the store that instances share is made of. */
  public HotKeyAdvisor.Layout layout() {
    return layout;
  }

  /** How many keys this process remembers. */
  public long keys() {
    return memory.keys() + adHocMemory.keys();
  }

  /** How many draws were made from overflow buckets, as there was no room for a key. */
  public long overflowed() {
    return memory.overflowed() + adHocMemory.overflowed();
  }

  /**
   * Waits until Redis was reached and the way there is warm, but no longer than this: a process
   * that decides without it is better than none.
   */
  public void awaitReady(Duration patience) {
    if (shared.isEmpty()) {
      return;
    }
    try {
      shared
          .get()
          .store
          .ready()
          .toCompletableFuture()
          .get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "the store {} is not ready after {} ms; going on without it, by each rule's on_fail",
          name,
          patience.toMillis());
    }
  }

  /** Leaves the fleet; the store is there until {@link #close}. */
  public void leaveFleet() {
    shared.ifPresent(there -> there.fleet.close());
  }

  /** Closes the store, if whoever draws from it has not yet. */
  @Override
  public void close() {
    leaveFleet();
    adHoc.close();
    shared.ifPresent(there -> there.store.close());
  }
}
