package io.weir.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.TakeResult;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryStoreTest {
  private final VirtualTime time = new VirtualTime();

  private static Pool pool(String limit) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), false);
  }

  private static boolean take(MemoryStore store, Pool pool, String key) {
    return store.tryTake(new Draw(pool, Key.of(key), 1, Mode.ENFORCE, Draw.Intent.TAKE));
  }

  private MemoryStore store(long maxKeys) {
    return MemoryStore.builder().maxKeys(maxKeys).time(time).build();
  }

  @Test
  void remembersEveryKeyThroughGrowth() {
    MemoryStore store = store(100_000);
    Pool pool = pool("1/day");

    for (int i = 0; i < 50_000; i++) {
      assertThat(take(store, pool, "key" + i)).isTrue();
    }
    for (int i = 0; i < 50_000; i++) {
      assertThat(take(store, pool, "key" + i)).as("key%s", i).isFalse();
    }
    assertThat(store.keys()).isEqualTo(50_000);
    assertThat(store.overflowed()).isZero();
  }

  @Test
  void dropsIdleKeysAndFreesMemory() {
    MemoryStore store = store(100_000);
    Pool pool = pool("1/s");
    long empty = store.bytes();
    for (int i = 0; i < 50_000; i++) {
      take(store, pool, "key" + i);
    }
    assertThat(store.bytes()).isGreaterThan(50_000 * 32);

    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofSeconds(1));
      take(store, pool, "alone");
    }

    assertThat(store.keys()).isLessThan(100);
    assertThat(store.bytes()).isLessThan(2 * empty);
  }

  @Test
  void evictsFullBucketsBeforeUsingOverflowBuckets() {
    MemoryStore store = store(1000);
    for (int i = 0; i < 1000; i++) {
      take(store, pool("1/s"), "key" + i);
    }
    time.advance(Duration.ofSeconds(2));

    for (int i = 0; i < 1000; i++) {
      assertThat(take(store, pool("1/h"), "new" + i)).isTrue();
    }
    assertThat(store.overflowed()).isZero();
    assertThat(store.keys()).isLessThanOrEqualTo(1000);
  }

  @Test
  void floodOfKeysNeitherGrowsTableNorFreesLimitedKey() {
    MemoryStore store = store(10_000);
    Pool pool = pool("1/h");
    assertThat(take(store, pool, "limited")).isTrue();
    int admitted = 0;

    for (int i = 0; i < 200_000; i++) {
      admitted += take(store, pool, "flood" + i) ? 1 : 0;
    }

    assertThat(take(store, pool, "limited")).isFalse();
    assertThat(store.keys()).isLessThanOrEqualTo(10_000 + MemoryStore.OVERFLOW);
    assertThat(store.bytes()).isLessThan(11_100 * 48);
    assertThat(admitted).isBetween(10_000, 10_000 + MemoryStore.OVERFLOW);
    assertThat(store.overflowed()).isGreaterThan(150_000);
  }

  @Test
  void logsStayWithinTheirBytes() {
    MemoryStore store = MemoryStore.builder().maxBytes(1 << 20).time(time).build();
    Pool pool = pool("sliding-log 10000/h");
    for (int round = 0; round < 1000; round++) {
      time.advanceMicros(10);
      for (int i = 0; i < 500; i++) {
        take(store, pool, "key" + i);
      }
    }

    assertThat(store.bytes()).isLessThan(5 << 18);
    assertThat(
            store.take(List.of(new Draw(pool, Key.of("key0"), 0, Mode.ENFORCE, Draw.Intent.TAKE))))
        .isCompletedWithValueMatching(
            result -> result.statuses().get(0).remaining() == 9000, "counts every call");
  }

  @Test
  void limitsBeyondLastMeterIdStillHold() {
    MemoryStore store = store(1_000_000);
    for (int i = 1; i < 66_000; i++) {
      take(store, pool(i + "/day"), "key");
    }
    Pool late = pool("2/70000s");

    assertThat(take(store, late, "k")).isTrue();
    assertThat(take(store, late, "k")).isTrue();
    assertThat(take(store, late, "k")).isFalse();
    time.advance(Duration.ofSeconds(35_000));
    assertThat(take(store, late, "k")).isTrue();
  }

  @Test
  void newKeyMayEvictIdleKeyOfSameCall() {
    Pool byUser = new Pool("user", "user", "1", Limit.parse("10/s"), false);
    Pool byAddress = new Pool("address", "address", "1", Limit.parse("10/h"), false);

    for (long maxKeys : new long[] {10, 4000}) {
      MemoryStore store = store(maxKeys);
      for (int i = 0; i < 100; i++) {
        List<Draw> draws =
            List.of(
                new Draw(byAddress, Key.of("address" + i), 1, Mode.ENFORCE, Draw.Intent.TAKE),
                new Draw(byUser, Key.of("user"), 1, Mode.ENFORCE, Draw.Intent.TAKE));
        assertThat(store.take(draws))
            .isCompletedWithValueMatching(
                result -> result.statuses().get(1).remaining() == 9, "draws from both");
        time.advance(Duration.ofSeconds(5));
      }
    }
  }

  @Test
  void logsStayWithinTheirBytesOnFastPath() {
    MemoryStore store = MemoryStore.builder().maxBytes(1 << 20).time(time).build();
    PoolFastPath fastPath = store.fastPath(pool("sliding-log 10000/h"));
    for (int round = 0; round < 1000; round++) {
      time.advanceMicros(10);
      for (int i = 0; i < 500; i++) {
        Key key = Key.of("key" + i);
        fastPath.tryTake(time.micros(), key.high(), key.low(), 0, 1);
      }
    }

    assertThat(store.bytes()).isLessThan(5 << 18);
  }

  @Test
  void overflowBucketsHaveTheirOwnWindowPhase() {
    MemoryStore store = store(1);
    Pool windows = pool("fixed-window 1/h");
    take(store, pool("1/day"), "the only key with a bucket of its own");
    Set<String> seen = new HashSet<>();

    for (int i = 0; i < 10_000; i++) {
      Draw draw = new Draw(windows, Key.of("key" + i), 1, Mode.ENFORCE, Draw.Intent.LOOK);
      seen.addAll(store.describe(List.of(draw)).toCompletableFuture().join());
    }

    assertThat(seen).hasSizeLessThanOrEqualTo(MemoryStore.OVERFLOW);
  }

  @Test
  void logForgetsGivenBackEntries() {
    MemoryStore store = store(10);
    Pool pool = pool("sliding-log 10/h");
    Key key = Key.of("key");
    List<Draw> draws = List.of(new Draw(pool, key, 1, Mode.ENFORCE, Draw.Intent.HOLD));

    for (int i = 0; i < 10_000; i++) {
      time.advanceMicros(100);
      TakeResult result = store.reserve(i, draws).toCompletableFuture().join();
      ReservedPart held = new ReservedPart(pool, key, 1, 0, result.receipts().get(0));
      store.settle(i, List.of(held), Duration.ofMillis(1));
      store.sweep();
    }

    assertThat(store.bytes()).isLessThan(10_000);
  }

  /** At any offset of the key's windows within a millisecond. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed-window 10/h", "sliding-window 10/h"})
  void wallClockWindowWithPhaseTakesGiveBack(String limit) {
    MemoryStore store = store(10);
    Pool pool = pool(limit).onWall();
    List<Draw> draws = List.of(new Draw(pool, Key.of("key"), 10, Mode.ENFORCE, Draw.Intent.TAKE));

    for (int i = 0; i < 3; i++) {
      TakeResult result = store.reserve(i, draws).toCompletableFuture().join();
      assertThat(result.taken()).isTrue();
      ReservedPart held = new ReservedPart(pool, Key.of("key"), 10, 0, result.receipts().get(0));
      store.settle(i, List.of(held), Duration.ofMinutes(1));
    }
  }

  /** As of a reservation made by another instance, whose clock started long before or after. */
  @ParameterizedTest
  @ValueSource(longs = {-3_600_000_000L, 3_600_000_000L})
  void rejectsSettlementDatedByDistantClock(long micros) {
    MemoryStore store = store(10);
    Pool pool = pool("10/h");
    TakeReceipt receipt = new TakeReceipt(0, 0).madeAt(time.micros() + micros);
    ReservedPart held = new ReservedPart(pool, Key.of("key"), 5, 0, receipt);

    assertThat(store.settle(1, List.of(held), Duration.ofMinutes(10)))
        .isCompletedWithValue(SettlementResult.ALREADY);
  }

  @Test
  void settlesOnceWithClockSlightlyAhead() {
    MemoryStore store = store(10);
    Pool pool = pool("10/h");
    Duration within = Duration.ofMinutes(10);
    TakeReceipt receipt = new TakeReceipt(0, 0).madeAt(time.micros() + 300_000_000);
    ReservedPart held = new ReservedPart(pool, Key.of("key"), 5, 0, receipt);
    assertThat(store.settle(1, List.of(held), within)).isCompletedWithValue(SettlementResult.DONE);

    for (int minute = 0; minute < 30; minute++) {
      time.advance(Duration.ofMinutes(1));
      store.sweep();
      assertThat(store.settle(1, List.of(held), within))
          .isCompletedWithValue(SettlementResult.ALREADY);
    }
  }

  @Test
  void settledMarkersTakeNoRoomFromKeysAndAreBounded() {
    MemoryStore store = store(2000);
    Pool pool = pool("10/h");
    Key key = Key.of("key");
    take(store, pool, "key");
    long bytes = store.bytes();

    for (int i = 0; i < 100_000; i++) {
      time.advanceMicros(1);
      ReservedPart held = heldNow(pool, key, 1, 1);
      assertThat(settle(store, i, held)).isEqualTo(SettlementResult.DONE);
      assertThat(settle(store, i, held)).isEqualTo(SettlementResult.ALREADY);
    }

    assertThat(store.keys()).isEqualTo(1);
    assertThat(store.bytes() - bytes).isLessThan(2000 * 24);
    assertThat(take(store, pool, "newcomer")).isTrue();
    assertThat(store.overflowed()).isZero();
  }

  /** They are not settled, as it is unknown which of them already were. */
  @Test
  void droppedMarkersPreventSettlementOfTheirTime() {
    MemoryStore store = store(1000);
    Pool pool = pool("10/h");
    Key key = Key.of("key");
    List<Draw> all = List.of(new Draw(pool, key, 10, Mode.ENFORCE, Draw.Intent.HOLD));
    TakeReceipt receipt = store.reserve(0, all).toCompletableFuture().join().receipts().get(0);
    ReservedPart first = new ReservedPart(pool, key, 10, 0, receipt);
    assertThat(settle(store, 0, first)).isEqualTo(SettlementResult.DONE);
    assertThat(store.takeSync(all).taken()).isTrue();

    for (int i = 1; i <= 1600; i++) {
      time.advanceMicros(1);
      assertThat(settle(store, i, heldNow(pool, Key.of("other" + i), 1, 1)))
          .isEqualTo(SettlementResult.DONE);
    }

    assertThat(settle(store, 0, first)).isEqualTo(SettlementResult.ALREADY);
    assertThat(take(store, pool, "key")).isFalse();
    time.advanceMicros(1);
    assertThat(settle(store, 1601, heldNow(pool, key, 1, 1))).isEqualTo(SettlementResult.DONE);
  }

  @Test
  void shortLivedMarkersDisplaceNoOthers() {
    MemoryStore store = store(1000);
    Pool pool = pool("10/h");
    ReservedPart held = heldNow(pool, Key.of("key"), 1, 1);
    assertThat(settle(store, 0, held)).isEqualTo(SettlementResult.DONE);

    Duration briefly = Duration.ofSeconds(10);
    for (int i = 1; i <= 10_000; i++) {
      time.advanceMicros(1);
      ReservedPart brief = heldNow(pool, Key.of("key"), 1, 1);
      assertThat(store.settle(i, List.of(brief), briefly))
          .isCompletedWithValue(SettlementResult.DONE);
      assertThat(settle(store, i, brief)).isEqualTo(SettlementResult.ALREADY);
    }

    assertThat(settle(store, 0, held)).isEqualTo(SettlementResult.ALREADY);
    assertThat(store.settle(0, List.of(held), briefly))
        .isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(settle(store, 10_001, held)).as("of the same time").isEqualTo(SettlementResult.DONE);
  }

  /** A reservation whose holder settles once is not affected by the settlements of others. */
  @Test
  void slowCallIsSettledAfterManyOthers() {
    MemoryStore store = store(1000);
    Pool pool = pool("10/h");
    SettlementTerms once = new SettlementTerms(Duration.ofMinutes(10), Duration.ofSeconds(10));
    ReservedPart slow = heldNow(pool, Key.of("slow"), 1, 1);
    for (int i = 1; i <= 10_000; i++) {
      time.advanceMicros(1);
      assertThat(store.settle(i, List.of(heldNow(pool, Key.of("key"), 1, 1)), once))
          .isCompletedWithValue(SettlementResult.DONE);
    }

    assertThat(store.settle(0, List.of(slow), once)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(store.settle(0, List.of(slow), once)).isCompletedWithValue(SettlementResult.ALREADY);
  }

  @Test
  void settledMarkersExpire() {
    MemoryStore store = store(100_000);
    Pool pool = pool("10/h");
    long bytes = store.bytes();
    ReservedPart held = heldNow(pool, Key.of("key"), 1, 1);
    for (int i = 0; i < 10_000; i++) {
      settle(store, i, held);
    }
    assertThat(store.bytes() - bytes).isGreaterThan(10_000 * 8);

    store.sweep();
    time.advance(Duration.ofMinutes(9));
    store.sweep();
    for (int i = 0; i < 10_000; i++) {
      assertThat(settle(store, i, held)).isEqualTo(SettlementResult.ALREADY);
    }
    time.advance(Duration.ofMinutes(1));
    store.sweep();
    store.sweep();

    assertThat(store.bytes()).isEqualTo(bytes);
  }

  private ReservedPart heldNow(Pool pool, Key key, long amount, long owed) {
    return new ReservedPart(pool, key, amount, owed, new TakeReceipt(0, 0).madeAt(time.micros()));
  }

  private static SettlementResult settle(MemoryStore store, long reservation, ReservedPart held) {
    return store
        .settle(reservation, List.of(held), Duration.ofMinutes(10))
        .toCompletableFuture()
        .join();
  }

  @Test
  void wallClockLimitsBeyondLastMeterIdAreKept() {
    MemoryStore store = store(1_000_000);
    for (int i = 1; i < 66_000; i++) {
      take(store, pool(i + "/day"), "key");
    }
    Pool late = pool("quota 1/month");
    take(store, late, "k");
    time.advance(Duration.ofDays(20));
    store.sweep();

    assertThat(take(store, late, "k")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {-20_000, 20_000})
  void distantWallClockAtStartNeitherFreesNorFreezesKeys(long days) {
    MemoryStore store = store(10);
    for (String limit : List.of("quota 3/day", "fixed-window 3/day aligned=true")) {
      Pool pool = pool(limit);
      time.stepWall(Duration.ofDays(days));
      for (int day = 0; day < 3; day++) {
        int admitted = 0;
        for (int i = 0; i < 10; i++) {
          admitted += take(store, pool, "key") ? 1 : 0;
        }
        assertThat(admitted).as(limit).isEqualTo(3);
        time.advance(Duration.ofDays(1));
      }
      time.stepWall(Duration.ofDays(-days));
    }
  }
}
