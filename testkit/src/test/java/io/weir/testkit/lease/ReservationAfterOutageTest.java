package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.near.NearStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.UnavailableStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settlement of reservations that were taken during an outage of the shared store. */
class ReservationAfterOutageTest {
  private static final int INSTANCES = 2;

  private final VirtualTime time = new VirtualTime();
  private final LendingStore shared = new LendingStore(time::wallMicros);
  private final Random random = new Random(7);
  private final NearStore one = instance();
  private final NearStore other = instance();
  private boolean unavailable;
  private long ids;

  /** An unsettled reservation of one instance. */
  private record OutageReservation(NearStore by, long id, long amount, TakeReceipt receipt) {}

  private NearStore instance() {
    MemoryStore memory = MemoryStore.builder().time(time).build();
    return NearStore.before(
        new UnavailableStore(shared, () -> unavailable),
        memory,
        time,
        () -> INSTANCES,
        problem -> {
          throw new AssertionError(problem);
        });
  }

  private static Pool pool(String limit) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), false);
  }

  private OutageReservation reserve(NearStore by, Pool pool, Key key, long amount) {
    Draw draw = new Draw(pool, key, amount, Mode.ENFORCE, Draw.Intent.TAKE);
    TakeResult result = by.reserve(++ids, List.of(draw)).toCompletableFuture().join();
    assertThat(result.taken()).isTrue();
    return new OutageReservation(by, ids, amount, result.receipts().get(0));
  }

  private SettlementResult settle(OutageReservation some, Pool pool, Key key, long cost) {
    List<ReservedPart> parts =
        List.of(new ReservedPart(pool, key, some.amount, cost, some.receipt));
    return some.by.settle(some.id, parts, Duration.ofMinutes(10)).toCompletableFuture().join();
  }

  private long used(Pool pool, Key key) {
    Draw look = new Draw(pool, key, 0, Mode.SHADOW, Draw.Intent.LOOK);
    TakeResult seen = shared.take(List.of(look)).toCompletableFuture().join();
    return pool.meter().capacity() - seen.statuses().get(0).remaining();
  }

  /** At any position of a key within its window. */
  @ParameterizedTest
  @ValueSource(strings = {"100/h", "quota 100/day", "fixed-window 100/h", "sliding-window 100/h"})
  void storeEndsUpWithTheActualCost(String limit) {
    Pool pool = pool(limit);
    for (int i = 0; i < 100; i++) {
      Key key = Key.of("user " + i);
      unavailable = true;
      OutageReservation dear = reserve(one, pool, key, 40);
      OutageReservation cheap = reserve(one, pool, key, 5);
      unavailable = false;
      reserve(one, pool, key, 1);
      assertThat(used(pool, key)).isBetween(46L, 47L);

      assertThat(settle(dear, pool, key, 10)).isEqualTo(SettlementResult.DONE);
      assertThat(used(pool, key)).isBetween(16L, 18L);
      assertThat(settle(dear, pool, key, 0)).isEqualTo(SettlementResult.ALREADY);
      assertThat(settle(cheap, pool, key, 8)).isEqualTo(SettlementResult.DONE);
      reserve(one, pool, key, 1);
      assertThat(used(pool, key)).isBetween(19L, 23L);
    }
  }

  /**
   * After all debts and settlements, never less is charged than was used; and hardly more, if the
   * store was available for refunds. Debts of sliding windows are rounded each time, by less than
   * one.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {"1000/h", "quota 1000/day", "fixed-window 1000/h", "sliding-window 1000/h"})
  void nothingIsGivenBackTwiceWhateverTheOrder(String limit) {
    Pool pool = pool(limit);
    boolean sliding = limit.startsWith("sliding");
    for (int run = 0; run < 300; run++) {
      Key key = Key.of("user " + run);
      boolean settlesDuringOutage = run % 2 == 1;
      List<OutageReservation> open = new ArrayList<>();
      long cost = 0;
      for (int step = 0; step < 30; step++) {
        unavailable = random.nextBoolean();
        if (random.nextInt(3) > 0) {
          NearStore by = random.nextBoolean() ? one : other;
          open.add(reserve(by, pool, key, 1 + random.nextInt(20)));
        } else if (!open.isEmpty()) {
          OutageReservation oldest = open.remove(0);
          unavailable &=
              settlesDuringOutage && oldest.receipt.origin() == TakeReceipt.Origin.INSTANCE;
          long came = random.nextInt(25);
          assertThat(settle(oldest, pool, key, came)).isEqualTo(SettlementResult.DONE);
          cost += came;
        }
      }
      unavailable = false;
      reserve(one, pool, key, 1);
      reserve(other, pool, key, 1);
      cost += 2 + open.stream().mapToLong(OutageReservation::amount).sum();
      assertThat(used(pool, key))
          .as("run %d", run)
          .isGreaterThanOrEqualTo(cost - (sliding ? 1 : 0));
      if (!settlesDuringOutage) {
        assertThat(used(pool, key))
            .as("run %d", run)
            .isLessThanOrEqualTo(cost + (sliding ? 60 : 0));
      }
    }
  }
}
