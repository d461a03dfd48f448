package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Key;
import io.weir.Mode;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.StoreLoad;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlowProxy;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of a single Redis: every call ends in time, with a value, is applied at most once, and
 * service returns by itself.
 */
@Tag("process")
class NodeFaultsTest {
  private static final Duration TIMEOUT = RedisOptions.DEFAULT_TIMEOUT;
  private static final Duration PAUSE = Duration.ofMillis(600);

  private static RedisServer redis;
  private static RedisStore reader;

  private final Pool pool = plenty("faults");

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    reader = RedisStores.ready(redis.uri(), PATIENT);
  }

  @AfterAll
  static void stop() {
    reader.close();
    redis.close();
  }

  private static RedisStore store() {
    return RedisStores.ready(redis.uri(), TIMEOUT);
  }

  private StoreLoad load(RedisStore store, String key) {
    return StoreLoad.on(store, n -> List.of(one(pool, key)));
  }

  /** Every answered call was applied, and none twice. */
  private void assertAppliedOnce(StoreLoad load, String key) {
    assertThat(RedisStores.taken(reader, pool, key)).isBetween(load.taken(), load.sent());
  }

  @Test
  void aKilledConnectionIsReplacedAndNothingIsSentAgain() throws Exception {
    try (RedisStore store = store();
        StoreLoad load = load(store, "killed")) {
      for (int i = 0; i < 5; i++) {
        load.awaitAnswered(20);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      }
      load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      System.out.println("5 connections killed: " + load);
      assertAppliedOnce(load, "killed");
    }
  }

  @Test
  void callsInFlightOnADeadConnectionAreNeverApplied() {
    try (RedisStore store = store()) {
      // Scripts may write, so they are paused; the commands of the test are not.
      redis.command("CLIENT", "PAUSE", "2000", "WRITE");
      try (StoreLoad load = load(store, "held")) {
        load.awaitUnanswered(50).stop().assertKept(TIMEOUT);
        assertThat(load.answered()).isZero();
      }
      redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      redis.command("CLIENT", "UNPAUSE");
      try (StoreLoad other = load(store, "other")) {
        other.awaitAnswered(50).stop();
      }
      assertThat(RedisStores.taken(reader, pool, "held")).isZero();
    }
  }

  @Test
  void callsWithLostRepliesAreAppliedOnce() {
    try (SlowProxy network = SlowProxy.before(redis);
        RedisStore store = RedisStores.ready(network.uri(), TIMEOUT)) {
      network.delay(Duration.ZERO, Duration.ofSeconds(30));
      long before = redis.scriptCalls();
      try (StoreLoad load = load(store, "lost")) {
        load.awaitUnanswered(20).stop().assertKept(TIMEOUT);
      }
      long applied = RedisStores.taken(reader, pool, "lost");
      assertThat(applied).isPositive();
      network.delay(Duration.ZERO, Duration.ZERO);
      network.cut();
      await().until(() -> network.connections() > 0);
      try (StoreLoad other = load(store, "other")) {
        other.awaitAnswered(20).stop();
      }
      assertThat(RedisStores.taken(reader, pool, "lost")).isEqualTo(applied);
      assertThat(redis.scriptCalls()).isGreaterThan(before);
    }
  }

  @Test
  void flushedScriptsAreLoadedAgainWithoutAnUnansweredCall() {
    try (RedisStore store = RedisStores.ready(redis.uri(), PATIENT);
        StoreLoad load = load(store, "flushed")) {
      for (int i = 0; i < 10; i++) {
        load.awaitAnswered(30);
        redis.command("SCRIPT", "FLUSH");
      }
      load.awaitAnswered(30).stop().assertKept(PATIENT);
      assertThat(load.unanswered()).isZero();
      assertThat(RedisStores.taken(reader, pool, "flushed")).isEqualTo(load.sent());
    }
  }

  @Test
  void callsToAPausedRedisEndAtTheDeadline() {
    try (RedisStore store = store();
        StoreLoad load = load(store, "paused")) {
      load.awaitAnswered(20);
      redis.command("CLIENT", "PAUSE", Long.toString(PAUSE.toMillis()));
      load.awaitUnanswered(50).awaitAnswered(100).stop().assertKept(TIMEOUT);
      System.out.println("paused: " + load);
      assertAppliedOnce(load, "paused");
    }
  }

  @Test
  void callsToAFrozenRedisEndAtTheDeadline() {
    try (RedisStore store = store();
        StoreLoad load = load(store, "frozen")) {
      load.awaitAnswered(20);
      redis.freeze();
      load.awaitUnanswered(100);
      redis.thaw();
      load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      System.out.println("frozen: " + load);
      assertAppliedOnce(load, "frozen");
    }
  }

  @Test
  void fullRedisIsUnavailableUntilThereIsRoom() {
    try (RedisStore store = store();
        StoreLoad load = load(store, "full")) {
      load.awaitAnswered(20);
      redis.command("CONFIG", "SET", "maxmemory", "1");
      try {
        load.awaitUnanswered(100);
        long full = RedisStores.taken(reader, pool, "full");
        load.awaitUnanswered(100);
        assertThat(RedisStores.taken(reader, pool, "full")).isEqualTo(full);
      } finally {
        redis.command("CONFIG", "SET", "maxmemory", "0");
      }
      load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      assertAppliedOnce(load, "full");
    }
  }

  @Test
  void replicaGetsNoCallsUntilItIsAPrimaryAgain() {
    try (RedisStore store = store();
        StoreLoad load = load(store, "replica")) {
      load.awaitAnswered(20);
      redis.command("REPLICAOF", "127.0.0.1", "1");
      try {
        load.awaitUnanswered(100);
      } finally {
        redis.command("REPLICAOF", "NO", "ONE");
      }
      load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      assertAppliedOnce(load, "replica");
    }
  }

  /** It could answer a read, from stale counts. */
  @Test
  void replicaGetsNoReadsEither() {
    try (RedisServer replica = RedisServer.start()) {
      replica.command("REPLICAOF", "127.0.0.1", "1");
      Draw look = new Draw(pool, Key.of("look"), 1, Mode.ENFORCE, Draw.Intent.LOOK);
      try (RedisStore store =
              RedisStore.open(
                  RedisOptions.of(replica.uri()).timeout(TIMEOUT), SystemTime.INSTANCE);
          StoreLoad load = StoreLoad.on(store, n -> List.of(look))) {
        load.awaitUnanswered(1000);
        assertThat(load.answered()).isZero();
        replica.command("REPLICAOF", "NO", "ONE");
        load.awaitAnswered(100);
      }
    }
  }

  @Test
  void redisUnavailableAtStartIsFoundLater() {
    try (RedisServer late = RedisServer.start()) {
      late.kill();
      try (RedisStore store =
              RedisStore.open(RedisOptions.of(late.uri()).timeout(TIMEOUT), SystemTime.INSTANCE);
          StoreLoad load = load(store, "late")) {
        load.awaitUnanswered(100);
        assertThat(store.ready().toCompletableFuture()).isNotDone();
        late.restart();
        load.awaitAnswered(100);
        late.kill();
        load.awaitUnanswered(100);
        late.restart();
        load.awaitAnswered(100).stop().assertKept(TIMEOUT);
        System.out.println("killed and restarted: " + load);
      }
    }
  }

  @Test
  void redisThatLoadsItsDataIsRetried() throws Exception {
    try (RedisServer large =
        RedisServer.builder()
            .config("enable-debug-command yes")
            .config("key-load-delay 50")
            .config("loading-process-events-interval-bytes 1024")
            .start()) {
      large.command("DEBUG", "POPULATE", "50000");
      large.command("SAVE");
      try (RedisStore store = RedisStores.ready(large.uri(), TIMEOUT);
          StoreLoad load = load(store, "loading")) {
        load.awaitAnswered(20);
        CompletableFuture<Void> restarted = CompletableFuture.runAsync(large::restart);
        await().until(() -> isLoading(large));
        load.awaitUnanswered(100);
        assertThat(isLoading(large)).isTrue();
        restarted.get(30, TimeUnit.SECONDS);
        load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      }
    }
  }

  private static boolean isLoading(RedisServer server) {
    try {
      server.command("GET", "a");
      return false;
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage()).startsWith("LOADING");
    }
  }

  @Test
  void silentConnectionIsReplaced() {
    try (SlowProxy network = SlowProxy.before(redis);
        RedisStore store = RedisStores.ready(network.uri(), TIMEOUT);
        StoreLoad load = load(store, "silent")) {
      load.awaitAnswered(20);
      network.stall();
      load.awaitUnanswered(50);
      await("another connection").atMost(Duration.ofSeconds(20)).until(() -> load.isQuick(50));
      network.resume();
      load.awaitAnswered(100).stop().assertKept(TIMEOUT);
      assertAppliedOnce(load, "silent");
    }
  }

  @Test
  void aHalfOpenConnectionIsReplaced() {
    try (SlowProxy network = SlowProxy.before(redis);
        RedisStore store = RedisStores.ready(network.uri(), TIMEOUT);
        StoreLoad load = load(store, "half-open")) {
      load.awaitAnswered(20);
      network.loseOpen();
      load.awaitUnanswered(50).awaitAnswered(100).stop().assertKept(TIMEOUT);
      assertAppliedOnce(load, "half-open");
    }
  }

  @Test
  void closedStoreFailsWaitingCalls() throws Exception {
    RedisStore store = RedisStores.ready(redis.uri(), PATIENT);
    redis.command("CLIENT", "PAUSE", "3000", "WRITE");
    try {
      CompletableFuture<TakeResult> waiting =
          store.take(List.of(one(pool, "closed"))).toCompletableFuture();
      assertThat(waiting).isNotDone();
      store.close();
      assertThat(waiting.get(2, TimeUnit.SECONDS).statuses().get(0).answered()).isFalse();
      TakeResult after = store.take(List.of(one(pool, "closed"))).toCompletableFuture().join();
      assertThat(after.statuses().get(0).answered()).isFalse();
    } finally {
      redis.command("CLIENT", "UNPAUSE");
    }
  }

  @Test
  void failingListenersDoNotFailCalls() {
    RedisEvents failing =
        new RedisEvents() {
          @Override
          public void onAnswer(String node, long nanos) {
            throw new IllegalStateException("answered");
          }

          @Override
          public void onFailure(String node, String kind) {
            throw new IllegalStateException("failed");
          }

          @Override
          public void onBreakerChange(String node, boolean open) {
            throw new IllegalStateException("breaker");
          }

          @Override
          public void onNodeRemoved(String node) {
            throw new IllegalStateException("gone");
          }
        };
    try (RedisStore store =
            RedisStore.open(
                RedisOptions.of(redis.uri()).timeout(TIMEOUT), SystemTime.INSTANCE, failing);
        StoreLoad load = load(store, "listeners")) {
      load.awaitAnswered(100);
      redis.command("CLIENT", "PAUSE", "200", "WRITE");
      load.awaitUnanswered(20).awaitAnswered(100).stop().assertKept(TIMEOUT);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://no-such-host.invalid",
        "rediss://no-such-host.invalid",
        "redis-sentinel://master@no-such-host.invalid,127.0.0.1:1",
        "redis-cluster://no-such-host.invalid,127.0.0.1:1",
        "redis-ring://no-such-host.invalid,127.0.0.1:1"
      })
  void unreachableAddressIsUnavailable(String uri) {
    try (RedisStore store =
            RedisStore.open(RedisOptions.of(uri).timeout(TIMEOUT), SystemTime.INSTANCE);
        StoreLoad load = StoreLoad.on(store, n -> List.of(one(pool, "a"), one(pool, "b")))) {
      ContractCalls.get(SystemTime.INSTANCE.delay(Duration.ofMillis(300)));
      load.awaitUnanswered(10).stop().assertKept(TIMEOUT);
      assertThat(load.answered()).isZero();
    }
  }
}
