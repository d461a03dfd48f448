package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import io.weir.Key;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.EventLoopMonitor;
import io.weir.redis.fixture.SchedulingJitter;
import io.weir.redis.fixture.SharedCluster;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All operations of a store are called on an event loop, as the listeners of a server do. Neither
 * that loop nor those of the Redis client ever block, whatever happens to Redis.
 */
@Tag("process")
class EventLoopsTest {
  private static final String CALLER = "caller-loop";
  private static final Duration FREEZE = Duration.ofMillis(300);

  /** How late a loop may be, besides jitter: its own work takes time too. */
  private static final long BUSY_MICROS = 150_000;

  private final MultiThreadIoEventLoopGroup caller =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory(CALLER), NioIoHandler.newFactory());

  private final Pool pool = plenty("loops").withDimension("user");
  private final Pool permits =
      ContractCalls.pool("permits", "concurrency 10000").withDimension("user");
  private final Pool elsewhere = plenty("everybody").withDimension("all");
  private final Map<EventExecutor, Heart> hearts = new ConcurrentHashMap<>();

  @AfterEach
  void stop() {
    caller.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** A heartbeat on a loop that records how late it ever was. */
  private static final class Heart {
    private static final long BEAT_MICROS = 5_000;
    private final LongAccumulator worstMicros = new LongAccumulator(Math::max, 0);
    private long lastNanos = System.nanoTime();

    Heart(EventExecutor loop) {
      loop.scheduleWithFixedDelay(this::beat, BEAT_MICROS, BEAT_MICROS, TimeUnit.MICROSECONDS);
    }

    private void beat() {
      long now = System.nanoTime();
      worstMicros.accumulate((now - lastNanos) / 1000 - BEAT_MICROS);
      lastNanos = now;
    }
  }

  /** Calls on the loop that use all operations of a store, in turn. */
  private final class Calling {
    private final RedisStore store;
    private final AtomicLong answered = new AtomicLong();
    private long made;

    Calling(RedisStore store) {
      this.store = store;
      caller.scheduleWithFixedDelay(this::call, 1, 1, TimeUnit.MILLISECONDS);
    }

    private void call() {
      long id = ++made;
      Key key = Key.of("user-" + id % 500);
      Draw draw = ContractCalls.draw(pool, key, 1);
      switch ((int) (id % 5)) {
        case 0 -> store.take(List.of(draw)).thenAccept(this::onResult);
        case 1 -> store.take(List.of(draw, ContractCalls.draw(elsewhere, Key.of(), 1)));
        case 2 -> {
          Draw calls = draw.withLease(new LeaseReport(1000, LeaseGrant.NONE, 0, 0, 1, 0));
          store.take(List.of(calls)).thenAccept(result -> end(key, result));
        }
        case 3 -> {
          Draw hold = new Draw(permits, key, 1, Mode.ENFORCE, Intent.HOLD);
          store
              .reserve(id, List.of(draw, hold))
              .thenAccept(result -> settle(id, draw, hold, result));
        }
        default -> {
          store.refund(pool, key, 1);
          store.describe(List.of(draw));
        }
      }
    }

    /** Called on a loop of the client, whose heartbeat is measured from then on. */
    private void onResult(TakeResult result) {
      if (result.statuses().get(0).answered()) {
        answered.incrementAndGet();
        EventExecutor loop = ThreadExecutorMap.currentExecutor();
        if (loop != null) {
          hearts.computeIfAbsent(loop, Heart::new);
        }
      }
    }

    private void end(Key key, TakeResult result) {
      result
          .grants()
          .forEach(lent -> store.endLease(pool, key, new LeaseReport(1000, lent, 0, 1, 0, 0)));
    }

    private void settle(long id, Draw draw, Draw hold, TakeResult result) {
      if (result.taken()) {
        List<ReservedPart> parts =
            List.of(
                new ReservedPart(pool, draw.key(), 1, 0, result.receipts().get(0)),
                new ReservedPart(permits, hold.key(), 1, 1, result.receipts().get(1)));
        store.settle(id, parts, Duration.ofSeconds(5));
        store.renew(id, parts);
        store.release(id, parts);
      }
    }

    void awaitAnswered() {
      long goal = answered.get() + 20;
      await("answers").atMost(Duration.ofSeconds(30)).until(() -> answered.get() >= goal);
    }
  }

  private RedisStore open(String uri) throws Exception {
    return caller
        .submit(() -> RedisStore.open(RedisOptions.of(uri), SystemTime.INSTANCE))
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void eventLoopsNeverBlock() throws Exception {
    RedisCluster cluster = SharedCluster.get();
    SchedulingJitter jitter = new SchedulingJitter(2);
    EventLoopMonitor ofRedis = EventLoopMonitor.ofRedis();
    EventLoopMonitor ofCallers = EventLoopMonitor.named(CALLER);
    try (RedisServer redis = RedisServer.start();
        jitter;
        RedisStore single = open(redis.uri());
        RedisStore many = open("redis-cluster://" + cluster.addresses())) {
      single.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
      many.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
      Calling one = new Calling(single);
      Calling other = new Calling(many);
      one.awaitAnswered();
      other.awaitAnswered();
      hearts.put(caller.next(), new Heart(caller.next()));
      long begun = System.nanoTime();

      RedisServer primary = cluster.primaries().get(0);
      redis.freeze();
      primary.freeze();
      ContractCalls.get(SystemTime.INSTANCE.delay(FREEZE));
      redis.thaw();
      primary.thaw();
      one.awaitAnswered();
      other.awaitAnswered();
      redis.command("SCRIPT", "FLUSH");
      cluster.nodes().forEach(node -> node.command("SCRIPT", "FLUSH"));
      cluster.nodes().forEach(n -> n.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
      redis.kill();
      other.awaitAnswered();
      redis.restart();
      one.awaitAnswered();

      ofCallers.assertNoneWaited(jitter);
      ofRedis.assertNoneWaited(jitter);
      long worst = jitter.worstMicros(begun, System.nanoTime());
      hearts.forEach(
          (loop, heart) ->
              System.out.printf(
                  "%s: late by %,d µs (noise %,d µs)%n", loop, heart.worstMicros.get(), worst));
      assertThat(hearts).hasSizeGreaterThanOrEqualTo(3);
      assertThat(hearts.values())
          .allSatisfy(
              heart ->
                  assertThat(heart.worstMicros.get()).isLessThanOrEqualTo(3 * worst + BUSY_MICROS));
    }
  }
}
