package io.weir.redis;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.call.PendingCall;
import io.weir.redis.fixture.RecordingRedisEvents;
import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.script.Script;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reachable nodes are warm before the first call, even if other nodes are unavailable. */
class WarmUpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer there = RedisServer.start();
  private final RedisServer away = RedisServer.start();

  @AfterEach
  void stop() {
    there.close();
    away.close();
  }

  /** The number of reads of unused keys on this server. */
  private static long looks(RedisServer server) {
    return Long.parseLong(server.info("keyspace_misses"));
  }

  private void warmsWhoIsThereAndTheOtherLater(RedisStore store) {
    CompletableFuture<Void> ready = store.ready().toCompletableFuture();
    await().atMost(PATIENCE).until(() -> looks(there) > 50);
    assertThat(ready).isNotDone();

    away.restart();

    assertThat(ready.orTimeout(60, TimeUnit.SECONDS)).succeedsWithin(PATIENCE);
  }

  /** Neither answered calls nor calls without a reply. */
  @Test
  void warmUpIsNotInMetrics() {
    RecordingRedisEvents events = new RecordingRedisEvents();
    RedisOptions hasty = RedisOptions.of(there.uri()).timeout(Duration.ofMillis(1));
    try (RedisStore store = RedisStore.open(hasty, SystemTime.INSTANCE, events)) {
      store.ready();
      await().atMost(PATIENCE).until(() -> looks(there) > 20);
    }
    assertThat(events.calls).isEmpty();
  }

  @Test
  void lateWarmUpDoesNotCountAgainstTheNode() {
    VirtualTime time = new VirtualTime();
    RecordingRedisEvents events = new RecordingRedisEvents();
    NodeHealth node =
        new NodeHealth(
            "n",
            new NodeHealth.Context(events, time, 10_000_000, (millis, task) -> {}),
            CompletableFuture::new);
    time.advance(Duration.ofMinutes(1));
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(20));
      assertThat(node.enter()).isTrue();
      new PendingCall(
              node, CallPurpose.WARM_UP, Script.TAKE_ONE_BUCKET, new byte[0][], new byte[0], 0)
          .fail(NoAnswerException.timeout());
    }

    assertThat(node.isOpen()).isFalse();
    assertThat(events.calls).isEmpty();
  }

  @Test
  void ringWarmsUpWithAnUnavailableNode() {
    away.kill();
    RedisOptions options =
        RedisOptions.of(RedisFixture.ringOf(List.of(there, away))).timeout(PATIENT);
    RecordingRedisEvents events = new RecordingRedisEvents();
    try (RedisStore store = RedisStore.open(options, SystemTime.INSTANCE, events)) {
      warmsWhoIsThereAndTheOtherLater(store);
      assertThat(looks(away)).isGreaterThan(50);
    }
    assertThat(events.calls).isEmpty();
  }

  @Test
  void storeWarmsUpWithAnUnavailableHotRedis() {
    away.kill();
    try (RedisStore store =
        RedisStore.open(
            RedisOptions.of(there.uri()).timeout(PATIENT),
            RedisOptions.of(away.uri()).timeout(PATIENT),
            Set.of("hot"),
            SystemTime.INSTANCE,
            RedisEvents.NONE)) {
      warmsWhoIsThereAndTheOtherLater(store);
      assertThat(looks(away)).as("where the keys of the hot rule live").isGreaterThan(50);
    }
  }
}
