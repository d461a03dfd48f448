package io.weir.redis;

import static io.weir.redis.Stores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that can be reached are warm before the first call, whoever else is away. */
class WarmUpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer there = RedisServer.start();
  private final RedisServer away = RedisServer.start();

  @AfterEach
  void stop() {
    there.close();
    away.close();
  }

  /** How many keys were looked for there that nobody has. */
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

  @Test
  void aRingWarmsUpThoughANodeIsAway() {
    away.kill();
    RedisOptions options =
        RedisOptions.of(RedisFixture.ringOf(List.of(there, away))).timeout(PATIENT);
    try (RedisStore store = RedisStore.open(options, SystemTime.INSTANCE)) {
      warmsWhoIsThereAndTheOtherLater(store);
      assertThat(looks(away)).isGreaterThan(50);
    }
  }

  @Test
  void aStoreWarmsUpThoughTheRedisOfHotRulesIsAway() {
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
