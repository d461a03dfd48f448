package io.weir.redis;

import io.weir.store.Store;
import io.weir.testkit.contract.Calls;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Real Redis processes for a whole test class, on which every test finds an empty store on time of
 * its own: the names of its keys are made with a secret that no other test has.
 */
final class RedisFixture implements AutoCloseable {
  private static final Duration SLOW_MACHINE = Duration.ofSeconds(10);

  private final List<RedisServer> servers;
  private final AtomicReference<VirtualTime> time = new AtomicReference<>(new VirtualTime());
  private final Link link;

  private RedisFixture(String uri, List<RedisServer> servers) {
    this.servers = servers;
    this.link = connected(uri, () -> time.get().wallMicros());
  }

  private RedisFixture(RedisServer server, StoreClock clock) {
    this.servers = List.of(server);
    this.link = connected(server.uri(), clock);
  }

  private static Link connected(String uri, StoreClock clock) {
    Link link = Links.open(RedisOptions.of(uri).timeout(SLOW_MACHINE), clock);
    link.connected().toCompletableFuture().join();
    return link;
  }

  /** One Redis, {@link RedisBinary#find}. */
  static RedisFixture single() {
    return single(RedisBinary.find());
  }

  static RedisFixture single(RedisBinary binary) {
    RedisServer server = RedisServer.builder().binary(binary).start();
    return new RedisFixture(server.uri(), List.of(server));
  }

  /** One Redis that goes by its own clock; its stores are those {@link #onItsTime}. */
  static RedisFixture singleOnItsTime() {
    return new RedisFixture(RedisServer.start(), StoreClock.OF_REDIS);
  }

  /** The Cluster that all test classes share. */
  static RedisFixture cluster() {
    return new RedisFixture("redis-cluster://" + SharedCluster.get().addresses(), List.of());
  }

  /** A ring of this many nodes. */
  static RedisFixture ring(int nodes) {
    List<RedisServer> servers = Stream.generate(RedisServer::start).limit(nodes).toList();
    return new RedisFixture(ringOf(servers), servers);
  }

  /** The address of a ring. */
  static String ringOf(List<RedisServer> servers) {
    return servers.stream()
        .map(server -> server.host() + ":" + server.port())
        .collect(Collectors.joining(",", "redis-ring://", ""));
  }

  /** An empty store whose only clock is virtual: windows on the clock and off it share it. */
  StoreHarness emptyStore() {
    return emptyStore(store -> store);
  }

  /** An empty store, seen through something. */
  StoreHarness emptyStore(UnaryOperator<Store> view) {
    VirtualTime fresh = new VirtualTime(Instant.EPOCH);
    fresh.advance(Duration.ofDays(20_454));
    time.set(fresh);
    return StoreHarness.on(
        fresh, view.apply(new RedisStore(new Kept(), freshNames(), fresh, SLOW_MACHINE)));
  }

  /** An empty store on the clock of Redis, which goes by itself. */
  StoreHarness onItsTime() {
    return new OnRealTime(
        new RedisStore(new Kept(), freshNames(), SystemTime.INSTANCE, SLOW_MACHINE));
  }

  private static KeyNames freshNames() {
    return new KeyNames(UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Time that can only be waited for. */
  private record OnRealTime(Store store) implements StoreHarness {
    @Override
    public void advance(Duration by) {
      Calls.get(SystemTime.INSTANCE.after(by));
    }

    /** More than a busy machine is late between two calls. */
    @Override
    public Duration tolerance() {
      return Duration.ofSeconds(1);
    }
  }

  @Override
  public void close() {
    link.close();
    servers.forEach(RedisServer::close);
  }

  /** The link, surviving the stores that use it. */
  private final class Kept implements Link {
    @Override
    public int groupOf(byte[] key) {
      return link.groupOf(key);
    }

    @Override
    public CompletionStage<byte[]> run(Purpose purpose, Script script, byte[][] keys, byte[] args) {
      return link.run(purpose, script, keys, args);
    }

    @Override
    public CompletionStage<Void> connected() {
      return link.connected();
    }

    @Override
    public void close() {}
  }
}
