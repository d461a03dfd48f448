package io.weir.redis;

import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.process.RedisServer;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One real Redis for a whole test class, on which every test finds an empty store on time of its
 * own.
 */
final class RedisFixture implements AutoCloseable {
  private static final Duration SLOW_MACHINE = Duration.ofSeconds(10);

  private final RedisServer server = RedisServer.start();
  private final AtomicReference<VirtualTime> time = new AtomicReference<>(new VirtualTime());
  private final Link link =
      Links.open(
          RedisOptions.of(server.uri()).timeout(SLOW_MACHINE), () -> time.get().wallMicros());

  RedisFixture() {
    link.connected().toCompletableFuture().join();
  }

  /** An empty store whose only clock is virtual: windows on the clock and off it share it. */
  StoreHarness emptyStore() {
    server.command("FLUSHALL");
    VirtualTime fresh = new VirtualTime(Instant.EPOCH);
    fresh.advance(Duration.ofDays(20_454));
    time.set(fresh);
    return StoreHarness.on(fresh, new RedisStore(new Kept(), new KeyNames(new byte[0]), fresh));
  }

  @Override
  public void close() {
    link.close();
    server.close();
  }

  /** The link, surviving the stores that use it. */
  private final class Kept implements Link {
    @Override
    public int groupOf(byte[] key) {
      return link.groupOf(key);
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[] args) {
      return link.run(script, keys, args);
    }

    @Override
    public CompletionStage<Void> connected() {
      return link.connected();
    }

    @Override
    public void close() {}
  }
}
