package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.fixture.RecordingRedisEvents;
import io.weir.store.Pool;
import io.weir.testkit.LogCapture;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A Cluster that was never reached is unavailable like any node: it is shown in the metrics, and
 * logged once.
 */
@Tag("process")
class ClusterUnavailableAtStartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Pool pool = plenty("away-at-start");
  private final RecordingRedisEvents events = new RecordingRedisEvents();
  private final LogCapture log = LogCapture.of(NodeHealth.class);

  @AfterEach
  void stop() {
    log.close();
  }

  private List<String> linesAbout(String node) {
    return log.withLevels().stream().filter(line -> line.contains("Redis " + node + " ")).toList();
  }

  @Test
  void unreachedClusterIsShownAsOneOpenBreaker() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start()) {
      cluster.nodes().forEach(RedisServer::kill);
      String addresses = cluster.addresses();
      try (RedisStore store =
          RedisStore.open(
              RedisOptions.of("redis-cluster://" + addresses), SystemTime.INSTANCE, events)) {
        await().atMost(PATIENCE).until(() -> events.breakers.containsKey(addresses));
        await().atMost(PATIENCE).until(() -> events.breakers.get(addresses));
        assertThat(store.take(List.of(one(pool, "a"))).toCompletableFuture().join().taken())
            .isFalse();
        assertThat(events.failing).containsExactly(addresses + " disconnected");

        cluster.nodes().forEach(RedisServer::restart);
        cluster.waitUntilWhole();
        store.ready().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();

        await().atMost(PATIENCE).until(() -> !events.breakers.get(addresses));
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(() -> store.take(List.of(one(pool, "a"))).toCompletableFuture().get().taken());
      }
      assertThat(linesAbout(addresses)).hasSize(2);
      assertThat(linesAbout(addresses).get(0))
          .startsWith(
              "WARN Redis "
                  + addresses
                  + " is unavailable: no node of the Cluster can be reached: ")
          .endsWith("; its keys follow on_fail");
      assertThat(linesAbout(addresses).get(1))
          .matches("INFO Redis " + addresses + " is back after [0-9.]+ s");
    }
  }

  @Test
  void reachableClusterIsNotShownAsOneNode() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start();
        RedisStore store =
            RedisStore.open(
                RedisOptions.of("redis-cluster://" + cluster.addresses()),
                SystemTime.INSTANCE,
                events)) {
      store.ready().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();

      assertThat(events.breakers).doesNotContainKey(cluster.addresses()).isNotEmpty();
    }
  }
}
