package io.weir.redis;

import static io.weir.redis.Stores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Settlement;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Held;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.testkit.AwayStore;
import io.weir.testkit.contract.Calls;
import io.weir.testkit.process.RedisServer;
import io.weir.tier.Tier;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reservation that was taken while Redis was away leaves there, once it is settled. */
class RedisAfterOutageTest {
  private static final Key KEY = Key.of("somebody");

  private RedisServer redis;
  private RedisStore store;
  private Tier tier;
  private boolean away;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    store = Stores.ready(redis.uri(), PATIENT);
    MemoryStore memory = MemoryStore.builder().time(SystemTime.INSTANCE).build();
    tier =
        Tier.before(
            new AwayStore(store, () -> away),
            memory,
            SystemTime.INSTANCE,
            () -> 1,
            problem -> {
              throw new AssertionError(problem);
            });
  }

  @AfterEach
  void stop() {
    tier.close();
    redis.close();
  }

  private Taking reserve(long id, Pool pool, long amount) {
    Draw draw = new Draw(pool, KEY, amount, Mode.ENFORCE, Intent.TAKE);
    Taking taking = Calls.get(tier.reserve(id, List.of(draw)));
    assertThat(taking.taken()).isTrue();
    return taking;
  }

  private long remaining(Pool pool) {
    Draw look = new Draw(pool, KEY, 0, Mode.SHADOW, Intent.LOOK);
    return Calls.get(store.take(List.of(look))).standings().get(0).remaining();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"100/h", "quota 100/month", "fixed-window 100/40h", "sliding-window 100/40h"})
  void theTrueCostIsLeftThoughTheDebtHadBeenTold(String limit) {
    Pool pool = new Pool("rule", "rule", "1", Limit.parse(limit), false);
    away = true;
    Taking alone = reserve(1, pool, 50);
    away = false;
    reserve(2, pool, 1);
    assertThat(remaining(pool)).isBetween(48L, 49L);

    Held part = new Held(pool, KEY, 50, 10, alone.stamps().get(0));
    Settlement came = Calls.get(tier.settle(1, List.of(part), Duration.ofMinutes(10)));

    assertThat(came).isEqualTo(Settlement.DONE);
    assertThat(remaining(pool)).isBetween(87L, 89L);
  }
}
