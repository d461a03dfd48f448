package io.weir.redis.fault;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.near.NearStore;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.UnavailableStore;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The usage in Redis after a reservation made during an outage is settled. */
class SettlementAfterOutageTest {
  private static final Key KEY = Key.of("somebody");

  private RedisServer redis;
  private RedisStore store;
  private NearStore nearStore;
  private boolean away;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    store = RedisStores.ready(redis.uri(), PATIENT);
    MemoryStore memory = MemoryStore.builder().time(SystemTime.INSTANCE).build();
    nearStore =
        NearStore.before(
            new UnavailableStore(store, () -> away),
            memory,
            SystemTime.INSTANCE,
            () -> 1,
            problem -> {
              throw new AssertionError(problem);
            });
  }

  @AfterEach
  void stop() {
    nearStore.close();
    redis.close();
  }

  private TakeResult reserve(long id, Pool pool, long amount) {
    Draw draw = new Draw(pool, KEY, amount, Mode.ENFORCE, Intent.TAKE);
    TakeResult result = ContractCalls.get(nearStore.reserve(id, List.of(draw)));
    assertThat(result.taken()).isTrue();
    return result;
  }

  private long remaining(Pool pool) {
    Draw look = new Draw(pool, KEY, 0, Mode.SHADOW, Intent.LOOK);
    return ContractCalls.get(store.take(List.of(look))).statuses().get(0).remaining();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"100/h", "quota 100/month", "fixed-window 100/40h", "sliding-window 100/40h"})
  void settlementAfterOutageLeavesTheTrueCost(String limit) {
    Pool pool = new Pool("rule", "rule", "1", Limit.parse(limit), false);
    away = true;
    TakeResult alone = reserve(1, pool, 50);
    away = false;
    reserve(2, pool, 1);
    assertThat(remaining(pool)).isBetween(48L, 49L);

    ReservedPart part = new ReservedPart(pool, KEY, 50, 10, alone.receipts().get(0));
    SettlementResult came =
        ContractCalls.get(nearStore.settle(1, List.of(part), Duration.ofMinutes(10)));

    assertThat(came).isEqualTo(SettlementResult.DONE);
    assertThat(remaining(pool)).isBetween(87L, 89L);
  }
}
