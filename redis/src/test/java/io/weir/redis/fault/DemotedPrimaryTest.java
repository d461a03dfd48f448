package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Pool;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection to a node that has become a replica is dropped after the first refused call. */
class DemotedPrimaryTest {
  private final Pool pool = plenty("no-primary");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionIsDroppedAtOnceWithOrWithoutScripts(boolean scripts) {
    try (RedisServer primary = RedisServer.start();
        RedisServer redis = RedisServer.start();
        RedisStore store = RedisStores.ready(redis.uri(), PATIENT)) {
      if (!scripts) {
        redis.command("SCRIPT", "FLUSH");
      }
      redis.command("REPLICAOF", primary.host(), Integer.toString(primary.port()));

      assertThat(ContractCalls.get(store.take(List.of(one(pool, "a")))).taken()).isFalse();

      assertThat(store.isUnavailable(pool, Key.of("a"))).isTrue();
    }
  }
}
