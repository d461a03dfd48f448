package io.weir.redis.fault;

import static io.weir.redis.doctor.DoctorFixture.examine;
import static io.weir.redis.doctor.DoctorFixture.patient;
import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisStore;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.StoreLoad;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The store follows a failover and a moved slot on the oldest supported Redis too. */
@Timeout(120)
@Tag("process")
class Redis62TopologyTest {
  private final Pool pool = plenty("oldest").withDimension("user");

  private StoreLoad load(RedisStore store) {
    return StoreLoad.on(store, n -> List.of(one(pool, "key")));
  }

  @Test
  void aSentinelFailoverIsFollowed() {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisBinary.oldest(), 1)) {
      String uri = "redis-sentinel://" + RedisSentinels.MASTER_NAME + "@" + sentinels.addresses();
      assertThat(examine(patient(uri))).noneMatch(finding -> finding.grade() == Grade.FAIL);
      try (RedisStore store = RedisStores.ready(uri, PATIENT);
          StoreLoad load = load(store)) {
        load.awaitAnswered(50);
        RedisServer master = sentinels.waitForFailover(sentinels.killMaster());
        load.awaitAnswered(50).stop();
        assertThat(master.info("cmdstat_evalsha")).isNotEmpty();
      }
    }
  }

  @Test
  void aMovedSlotAndAFailoverInAClusterAreFollowed() {
    try (RedisCluster cluster = RedisCluster.builder().binary(RedisBinary.oldest()).start()) {
      String uri = "redis-cluster://" + cluster.addresses();
      assertThat(examine(patient(uri))).noneMatch(finding -> finding.grade() == Grade.FAIL);
      try (RedisStore store = RedisStores.ready(uri, PATIENT);
          StoreLoad load = load(store)) {
        load.awaitAnswered(50);
        List<RedisServer> primaries = cluster.primaries();
        RedisServer from = holder(primaries);
        RedisServer to = primaries.stream().filter(node -> node != from).findFirst().orElseThrow();
        cluster.migrateSlot(cluster.slotOf(key(from)), to);
        load.awaitAnswered(50);
        assertThat(holder(primaries)).isSameAs(to);
        to.kill();
        cluster.waitForFailover(to);
        load.awaitAnswered(50).stop();
      }
    }
  }

  /** The primary that holds the only bucket. */
  private static RedisServer holder(List<RedisServer> primaries) {
    return primaries.stream().filter(node -> !keys(node).isEmpty()).findFirst().orElseThrow();
  }

  private static String key(RedisServer node) {
    return keys(node).get(0).toString();
  }

  private static List<?> keys(RedisServer node) {
    return (List<?>) node.command("KEYS", "weir:*");
  }
}
