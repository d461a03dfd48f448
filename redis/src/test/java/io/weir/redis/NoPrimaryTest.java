package io.weir.redis;

import static io.weir.redis.Stores.PATIENT;
import static io.weir.redis.Stores.one;
import static io.weir.redis.Stores.plenty;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Pool;
import io.weir.testkit.contract.Calls;
import io.weir.testkit.process.RedisServer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that has become a replica is left with the first call that it refuses. */
class NoPrimaryTest {
  private final Pool pool = plenty("no-primary");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isLeftAtOnceWhetherItHasTheScriptsOrNot(boolean scripts) {
    try (RedisServer primary = RedisServer.start();
        RedisServer redis = RedisServer.start();
        RedisStore store = Stores.ready(redis.uri(), PATIENT)) {
      if (!scripts) {
        redis.command("SCRIPT", "FLUSH");
      }
      redis.command("REPLICAOF", primary.host(), Integer.toString(primary.port()));

      assertThat(Calls.get(store.take(List.of(one(pool, "a")))).taken()).isFalse();

      assertThat(store.isAway(pool, Key.of("a"))).isTrue();
    }
  }
}
