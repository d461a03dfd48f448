package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RecordingRedisEvents;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlowProxy;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node of a Cluster keeps its id and gets another address, as pods do. */
@Tag("process")
class ClusterAddressChangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Pool pool = plenty("moved");
  private final RecordingRedisEvents events = new RecordingRedisEvents();

  @Test
  void movedNodeIsKnownByItsNewAddressOnly() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start();
        SlowProxy proxy = SlowProxy.before(cluster.nodes().get(0));
        RedisStore store =
            RedisStore.open(
                RedisOptions.of("redis-cluster://" + cluster.addresses())
                    .timeout(RedisStores.PATIENT),
                SystemTime.INSTANCE,
                events)) {
      store.ready().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
      RedisServer mover = cluster.nodes().get(0);
      String before = mover.host() + ":" + mover.port();
      String after = mover.host() + ":" + proxy.port();
      await().atMost(PATIENCE).until(() -> events.breakers.containsKey(before));

      mover.command("CONFIG", "SET", "cluster-announce-port", Integer.toString(proxy.port()));

      await().atMost(PATIENCE).until(() -> events.breakers.containsKey(after));
      await().atMost(PATIENCE).until(() -> !events.breakers.containsKey(before));
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                for (int i = 0; i < 20; i++) {
                  store.take(List.of(one(pool, "key" + i))).toCompletableFuture().join();
                }
                return events.answering.contains(after);
              });
      assertThat(events.answering).doesNotContain(before);

      // An outage is reported under the new address, and so is the recovery.
      proxy.refuse();
      proxy.cut();
      await().atMost(PATIENCE).until(() -> asked(store) && events.breakers.get(after));
      proxy.resume();
      await().atMost(PATIENCE).until(() -> !events.breakers.get(after));
      assertThat(events.breakers).doesNotContainKey(before);
    }
  }

  /** Makes a call, so that the outage is noticed. */
  private boolean asked(RedisStore store) {
    for (int i = 0; i < 20; i++) {
      store.take(List.of(one(pool, "key" + i)));
    }
    return true;
  }
}
