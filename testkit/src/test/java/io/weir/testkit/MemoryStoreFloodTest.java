package io.weir.testkit;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.ContractCalls;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Invented keys by the hundred thousand, by the million with {@code -Dweir.proof=true}. */
class MemoryStoreFloodTest {
  private static final int FLOOD = Boolean.getBoolean("weir.proof") ? 5_000_000 : 100_000;
  private static final int MAX_KEYS = 20_000;
  private static final int SHARED = 1024;

  private static final List<String> LIMITS =
      List.of(
          "1/day",
          "leaky-bucket 1/day",
          "fixed-window 1/day",
          "sliding-window 1/day",
          "sliding-log 1/day",
          "quota 1/month",
          "concurrency 1 permit_ttl=1h");

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore store = MemoryStore.builder().maxKeys(MAX_KEYS).time(time).build();

  private boolean take(Pool pool, String key) {
    var draw = new io.weir.store.Draw(pool, Key.of(key), 1, io.weir.Mode.ENFORCE, Intent.HOLD);
    return store.tryTake(draw);
  }

  private int flood(Pool pool, String prefix, int keys) {
    int admitted = 0;
    for (int i = 0; i < keys; i++) {
      admitted += take(pool, prefix + i) ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void aLimitedKeyOfAnyAlgorithmOutlivesTheFlood() {
    for (String limit : LIMITS) {
      assertThat(take(pool(limit, limit), "limited")).isTrue();
    }
    for (String limit : LIMITS) {
      flood(pool(limit, limit), "flood", FLOOD / LIMITS.size());
    }
    for (String limit : LIMITS) {
      assertThat(take(pool(limit, limit), "limited")).as(limit).isFalse();
    }
  }

  @Test
  void memoryStaysUnderItsCap() {
    for (String limit : LIMITS) {
      flood(pool(limit, limit), "flood", FLOOD / LIMITS.size());
    }
    assertThat(store.keys()).isLessThanOrEqualTo(MAX_KEYS + (long) SHARED * LIMITS.size());
    assertThat(store.bytes()).isLessThan(128L << 20);
  }

  @Test
  void newKeysShareAFixedNumberOfBuckets() {
    Pool pool = pool("1/day");
    int admitted = flood(pool, "flood", FLOOD);
    assertThat(admitted).isBetween(MAX_KEYS, MAX_KEYS + SHARED);
    assertThat(store.overflowed()).isGreaterThan(FLOOD - 2L * MAX_KEYS);
  }

  @Test
  void aFloodUnderOneRuleLeavesTheBucketsOfOthersAlone() {
    flood(pool("attacked", "1/day"), "flood", FLOOD);
    Pool other = pool("other", "1000/day");
    assertThat(take(other, "new-key")).as("shares, but not with the flood").isTrue();
  }

  @Test
  void fullBucketsAreEvictedFirst() {
    Pool slow = pool("slow", "1/day");
    flood(slow, "kept", MAX_KEYS / 2);
    // Keys are spread by a random hash, so a table filled to the last key overflows now and then.
    flood(pool("fast", "1/s"), "idle", MAX_KEYS * 3 / 8);
    time.advance(Duration.ofSeconds(2));

    assertThat(flood(slow, "new", MAX_KEYS / 4)).as("replacing idle keys").isEqualTo(MAX_KEYS / 4);
    assertThat(store.overflowed()).isZero();
    assertThat(flood(slow, "kept", MAX_KEYS / 2)).as("still limited").isZero();
  }

  @Test
  void newKeysHaveTheirOwnBucketsAgainAfterTheFlood() {
    Pool pool = pool("1/min");
    flood(pool, "flood", FLOOD);
    time.advance(Duration.ofMinutes(1));
    long before = store.overflowed();
    assertThat(flood(pool, "new", MAX_KEYS / 2)).isEqualTo(MAX_KEYS / 2);
    assertThat(store.overflowed()).isEqualTo(before);
  }

  @Test
  void largeLogsAreBoundedInBytesToo() {
    MemoryStore small = MemoryStore.builder().maxBytes(4 << 20).time(time).build();
    Pool pool = pool("sliding-log 10000/day");
    for (int i = 0; i < FLOOD; i++) {
      time.advanceMicros(1);
      small.tryTake(draw(pool, Key.of("key" + i % 100), 1));
    }
    assertThat(small.bytes()).isLessThan(5 << 20);
    assertThat(ContractCalls.get(small.take(List.of(draw(pool, Key.of("key1"), 10_000)))).taken())
        .as("counted usage persists")
        .isFalse();
  }
}
