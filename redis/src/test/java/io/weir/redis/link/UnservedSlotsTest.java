package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RecordingRedisEvents;
import io.weir.store.Pool;
import io.weir.testkit.LogCapture;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that do not form a Cluster yet can be reached, but serve no slots. */
@Tag("process")
class UnservedSlotsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer one = node();
  private final RedisServer other = node();
  private final String addresses =
      one.host() + ":" + one.port() + "," + other.host() + ":" + other.port();
  private final Pool pool = plenty("unserved");
  private final RecordingRedisEvents events = new RecordingRedisEvents();
  private final LogCapture log = LogCapture.of(UnservedSlots.class);

  @AfterEach
  void stop() {
    log.close();
    one.close();
    other.close();
  }

  private static RedisServer node() {
    return RedisServer.builder()
        .config("cluster-enabled yes")
        .config("cluster-require-full-coverage no")
        .start();
  }

  private RedisStore open() {
    return RedisStore.open(
        RedisOptions.of("redis-cluster://" + addresses).timeout(PATIENT),
        SystemTime.INSTANCE,
        events);
  }

  private static void serve(RedisServer node, int from, int to) {
    node.command(
        Stream.concat(
                Stream.of("CLUSTER", "ADDSLOTS"),
                IntStream.range(from, to).mapToObj(Integer::toString))
            .toArray(String[]::new));
  }

  private boolean isServed(RedisStore store) {
    return ContractCalls.get(store.take(List.of(one(pool, "a")))).statuses().get(0).answered();
  }

  @Test
  void storeIsReadyOnlyWhenAllSlotsAreServed() {
    one.command("CLUSTER", "SET-CONFIG-EPOCH", "1");
    other.command("CLUSTER", "SET-CONFIG-EPOCH", "2");
    one.command("CLUSTER", "MEET", other.host(), Integer.toString(other.port()));
    try (RedisStore store = open()) {
      CompletableFuture<Void> ready = store.ready().toCompletableFuture();
      await().atMost(PATIENCE).until(() -> log.messages().size() == 1);
      assertThat(log.withLevels().get(0))
          .isEqualTo(
              "WARN no node of the Redis Cluster "
                  + addresses
                  + " serves 16384 of its 16384 slots; their keys follow on_fail");
      assertThat(events.breakers).containsEntry(UnservedSlots.NO_NODE, true);
      assertThat(isServed(store)).isFalse();
      assertThat(ready).isNotDone();

      serve(one, 0, SlotHash.SLOT_COUNT / 2);
      await()
          .atMost(PATIENCE)
          .until(() -> Long.parseLong(one.info("keyspace_misses")) > 0 || ready.isDone());
      assertThat(ready).as("half of the slots are served").isNotDone();

      serve(other, SlotHash.SLOT_COUNT / 2, SlotHash.SLOT_COUNT);
      assertThat(ready).succeedsWithin(PATIENCE);
      assertThat(isServed(store)).isTrue();
      await().atMost(PATIENCE).until(() -> log.messages().size() == 2);
      assertThat(log.withLevels().get(1))
          .matches(
              "INFO all slots of the Redis Cluster " + addresses + " are served after [0-9.]+ s");
      assertThat(events.breakers).containsEntry(UnservedSlots.NO_NODE, false);
    }
  }

  @Test
  void closedStoreDoesNotWaitForUnservedSlots() {
    CompletableFuture<Void> ready;
    try (RedisStore store = open()) {
      ready = store.ready().toCompletableFuture();
      await().atMost(PATIENCE).until(() -> log.messages().size() == 1);
      assertThat(ready).isNotDone();
    }
    assertThat(ready).failsWithin(PATIENCE);
    assertThat(log.messages()).hasSize(1);
  }
}
