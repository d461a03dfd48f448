package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.StoreLoad;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store uses the master that Sentinels name, and follows a failover. */
@Tag("process")
class SentinelFailoverTest {
  private static final Duration TIMEOUT = RedisOptions.DEFAULT_TIMEOUT;

  @Test
  void killedMasterIsReplacedAndOnlyUnreplicatedWritesAreLost() {
    Pool pool = plenty("sentinel");
    try (RedisSentinels sentinels = RedisSentinels.start(1, "secret")) {
      RedisOptions options =
          RedisOptions.of(
                  "redis-sentinel://" + RedisSentinels.MASTER_NAME + "@" + sentinels.addresses())
              .credentials(new Credentials("", "secret"));
      try (RedisStore store = RedisStores.ready(options.timeout(TIMEOUT));
          RedisStore reader = RedisStores.ready(options.timeout(PATIENT));
          StoreLoad load = StoreLoad.on(store, n -> List.of(one(pool, "key")))) {
        load.awaitAnswered(200);

        RedisServer replica = sentinels.servers().get(1);
        long replicated = RedisStores.taken(reader, pool, "key");
        sentinels.currentMaster().command("SET", "mark", "1");
        await()
            .until(
                () ->
                    replica.command("EXISTS", "mark").equals(1L)); // so these writes are replicated
        replica.freeze();
        sentinels.currentMaster().command("CLIENT", "KILL", "TYPE", "replica");
        load.awaitAnswered(100);
        RedisServer dead = sentinels.killMaster();
        long killed = System.nanoTime();
        long notReplicated = load.sent() - replicated;
        replica.thaw();
        load.awaitUnanswered(100).awaitAnswered(100);
        long back = (System.nanoTime() - killed) / 1_000_000;
        RedisServer master = sentinels.waitForFailover(dead);

        load.stop().assertKept(TIMEOUT);
        long applied = RedisStores.taken(reader, pool, "key");
        long over = load.taken() - applied;
        System.out.printf(
            "master killed: served again after %,d ms; %s; over-admission %,d, of which the replica"
                + " had not received at most %,d%n",
            back, load, over, notReplicated);
        assertThat(over).isBetween(load.taken() - load.sent(), notReplicated);
        assertThat(master.info("cmdstat_evalsha")).isNotEmpty();
      }
    }
  }
}
