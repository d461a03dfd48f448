package io.weir.redis.fault;

import static io.weir.SettlementResult.UNAVAILABLE;
import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.SharedCluster;
import io.weir.redis.fixture.StoreLoad;
import io.weir.redis.script.KeyNames;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlotMigration;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A slot moves to another node while its keys are in use, with MOVED, ASK and TRYAGAIN errors. */
@Tag("process")
class SlotMigrationTest {
  private static final int POOLS = 40;

  private final RedisCluster cluster = SharedCluster.get();
  private final String user = "user-" + UUID.randomUUID();
  private final List<Pool> pools = new ArrayList<>();

  SlotMigrationTest() {
    for (int i = 0; i < POOLS; i++) {
      pools.add(plenty("moving-" + i).withDimension("user"));
    }
  }

  private RedisStore open(Duration timeout) {
    return RedisStores.ready("redis-cluster://" + cluster.addresses(), timeout);
  }

  private int slot() {
    return SlotHash.getSlot(new KeyNames(new byte[0]).bucket(pools.get(0), Key.of(user)));
  }

  private RedisServer another() {
    RedisServer from = cluster.primaryOf(slot());
    return cluster.primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
  }

  /** A call draws from two buckets, which are migrated at different moments. */
  private List<Draw> pair(long n) {
    int first = (int) (n % POOLS);
    int second = (first + POOLS / 2) % POOLS;
    return List.of(one(pools.get(first), user), one(pools.get(second), user));
  }

  private long taken(RedisStore store) {
    return pools.stream().mapToLong(pool -> RedisStores.taken(store, pool, user)).sum();
  }

  @Test
  void callsDuringSlotMigrationAreAnsweredAndAppliedAtMostOnce() throws Exception {
    try (RedisStore store = open(PATIENT);
        StoreLoad load = StoreLoad.on(store, this::pair)) {
      load.awaitAnswered(2 * POOLS);
      for (int i = 0; i < 2; i++) {
        SlotMigration migration = cluster.beginMigration(slot(), another());
        // Now some keys are moved and some are not, and calls that need both wait.
        while (migration.moveKeys(10) > 0) {
          ContractCalls.get(SystemTime.INSTANCE.delay(Duration.ofMillis(30)));
        }
        migration.finish();
        load.awaitAnswered(50);
      }
      load.stop().assertKept(PATIENT);
      System.out.println("a slot moved twice: " + load);
      assertThat(load.unanswered()).isLessThanOrEqualTo(load.sent() / 100);
      assertThat(taken(store)).isBetween(2 * load.taken(), 2 * load.sent());
    }
  }

  @Test
  void callWithSplitKeysEndsAtItsDeadline() {
    try (RedisStore store = open(RedisOptions.DEFAULT_TIMEOUT);
        RedisStore reader = open(PATIENT)) {
      try (StoreLoad load = StoreLoad.on(store, this::pair)) {
        load.awaitAnswered(2 * POOLS).stop();
      }
      long before = taken(reader);
      SlotMigration migration = cluster.beginMigration(slot(), another());
      migration.moveKeys(POOLS / 2);
      try (StoreLoad load = StoreLoad.on(store, this::pair)) {
        load.awaitUnanswered(50).stop().assertKept(RedisOptions.DEFAULT_TIMEOUT);
        System.out.println("keys apart: " + load);
        migration.moveKeys();
        migration.finish();
        assertThat(taken(reader) - before).isBetween(2 * load.taken(), 2 * load.sent());
      }
      try (StoreLoad load = StoreLoad.on(store, this::pair)) {
        load.awaitAnswered(50).stop();
      }
    }
  }

  /** Redis replies TRYAGAIN if some keys of a call are missing, as new ones are. */
  @Test
  void batchedNewKeysAndSettlementsWaitForSlotMigration() {
    try (RedisStore store = open(Duration.ofSeconds(1));
        RedisStore patient = open(PATIENT)) {
      ContractCalls calls = new ContractCalls(patient);
      List<ReservedPart> parts = calls.reserve(7, List.of(one(pools.get(0), user)));
      List<Draw> fresh = List.of(one(pools.get(1), user), one(pools.get(2), user));
      SlotMigration migration = cluster.beginMigration(slot(), another());
      try {
        assertThat(settle(store, parts)).as("its key is still here").isEqualTo(UNAVAILABLE);
        migration.moveKeys();
        assertThat(settle(store, parts)).as("its key is there").isEqualTo(UNAVAILABLE);
        assertThat(ContractCalls.get(store.take(fresh)).statuses())
            .noneMatch(LimitStatus::answered);
        assertThat(calls.take(one(pools.get(3), user)).taken()).as("a new key, alone").isTrue();
      } finally {
        migration.moveKeys();
        migration.finish();
      }
      assertThat(settle(patient, parts)).isEqualTo(SettlementResult.DONE);
      assertThat(calls.take(fresh.toArray(Draw[]::new)).taken()).isTrue();
      assertThat(RedisStores.taken(patient, pools.get(0), user)).isZero();
      assertThat(RedisStores.taken(patient, pools.get(1), user)).as("once").isEqualTo(1);
    }
  }

  /** Settles at a cost of 0. */
  private static SettlementResult settle(RedisStore store, List<ReservedPart> parts) {
    return ContractCalls.get(store.settle(7, ContractCalls.owing(parts, 0), ContractCalls.EVER));
  }
}
