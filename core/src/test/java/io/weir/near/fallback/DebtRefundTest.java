package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.onFail;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DebtRefundTest {
  private static final String BUCKET = "100/h";
  private static final String QUOTA = "quota 100/day";
  private static final String FIXED = "fixed-window 100/h";
  private static final String SLIDING = "sliding-window 100/h";

  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;

  /** Reserves an amount while the store is unavailable. */
  private TakeReceipt reserveDuringOutage(long id, Pool pool, long amount) {
    CompletableFuture<TakeResult> answer =
        fixture.near.reserve(id, List.of(draw(pool, amount))).toCompletableFuture();
    shared.next().rejectUnsent();
    return answer.join().receipts().get(0);
  }

  /** Makes the next draw and returns the debt that it carried. */
  private long takeAndReturnDebt(Pool pool, long remaining) {
    fixture.take(pool, 1);
    ScriptedStore.StoreCall call = shared.next();
    call.admit(remaining);
    return call.lease().debt();
  }

  private CompletableFuture<SettlementResult> settle(
      long id, Pool pool, long amount, long cost, TakeReceipt at) {
    List<ReservedPart> parts = List.of(new ReservedPart(pool, KEY, amount, cost, at));
    return fixture.near.settle(id, parts, Duration.ofMinutes(10)).toCompletableFuture();
  }

  private long refunded() {
    return shared.ended.stream().mapToLong(LeaseReport::returned).sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void settlementReducesUnsentDebt(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
    assertThat(takeAndReturnDebt(pool, 89)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED})
  void chargedDebtIsRefundedOnce(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    assertThat(takeAndReturnDebt(pool, 49)).isEqualTo(50);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.ALREADY);

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L);
    assertThat(shared.ended.get(0).held().window())
        .isBetween(
            limit.equals(BUCKET) ? 0 : at.time() - 999, limit.equals(BUCKET) ? 0 : at.time());
    assertThat(takeAndReturnDebt(pool, 88)).isZero();
    reserveDuringOutage(6, pool, 7);
    assertThat(takeAndReturnDebt(pool, 80)).as("later usage is owed").isEqualTo(7);
  }

  /** A debt was charged to both counts of a sliding window, as if evenly over its length. */
  @Test
  void slidingWindowIsRefundedInBothCounts() {
    Pool pool = onFail(OnFail.LOCAL, SLIDING);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    takeAndReturnDebt(pool, 49);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    long hour = Duration.ofHours(1).toNanos() / 1000;
    LeaseReport before = shared.ended.get(0);
    assertThat(before.held().window()).isBetween(at.time() - hour - 999, at.time() - hour);
    assertThat(before.returned()).isEqualTo(40);
    double passed = 1 - (at.time() - fixture.time.wallMicros()) / (double) hour;
    assertThat(refunded() - 40).isBetween((long) (40 * passed) - 1, (long) (40 * passed));
    assertThat(takeAndReturnDebt(pool, 88)).isZero();
    reserveDuringOutage(6, pool, 7);
    assertThat(takeAndReturnDebt(pool, 80)).isBetween(5L, 7L);
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void excessCostIsOwedBeforeAndAfterCharge(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt first = reserveDuringOutage(5, pool, 20);
    assertThat(settle(5, pool, 20, 25, first)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(takeAndReturnDebt(pool, 74)).isEqualTo(25);
    TakeReceipt second = reserveDuringOutage(6, pool, 20);
    assertThat(takeAndReturnDebt(pool, 53)).isBetween(19L, 20L);

    assertThat(settle(6, pool, 20, 30, second)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(takeAndReturnDebt(pool, 42)).isBetween(9L, 10L);
    assertThat(shared.ended).isEmpty();
  }

  @Test
  void settlementReducesUnsentDebtFirst() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    takeAndReturnDebt(pool, 49);
    reserveDuringOutage(6, pool, 30);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(refunded()).isEqualTo(10);
    assertThat(takeAndReturnDebt(pool, 58)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {QUOTA, FIXED})
  void endedWindowGetsNoRefund(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    takeAndReturnDebt(pool, 49);
    fixture.time.advanceMicros(at.time() - fixture.time.wallMicros());

    List<ReservedPart> parts = List.of(new ReservedPart(pool, KEY, 50, 10, at));
    fixture.near.settle(5, parts, Duration.ofDays(2));

    assertThat(shared.ended).isEmpty();
  }

  /** An exhausted window is charged only a part of a debt, and the part is unknown. */
  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void uncertainChargeIsNotRefunded(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    fixture.take(pool, 1);
    shared.next().refuse(Duration.ofSeconds(1));

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
  }

  @Test
  void refundDuringOutageCoversLaterLocalDecisions() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    takeAndReturnDebt(pool, 49);
    shared.unavailable.add(pool.rule());

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);
    shared.unavailable.clear();
    reserveDuringOutage(6, pool, 45);

    assertThat(shared.ended).isEmpty();
    assertThat(takeAndReturnDebt(pool, 43)).isEqualTo(5);
  }

  @Test
  void settlementWaitsForDebtInFlight() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    fixture.take(pool, 1);
    ScriptedStore.StoreCall carrying = shared.next();

    CompletableFuture<SettlementResult> settled = settle(5, pool, 50, 10, at);
    assertThat(settled).isNotDone();
    carrying.admit(49);

    assertThat(settled).isCompletedWithValue(SettlementResult.DONE);
    assertThat(refunded()).isEqualTo(40);
  }

  /**
   * A debt read before the settlement would be too high, and the settlement could not know of it.
   */
  @Test
  void bucketIsDecidedLocallyWhileItsDebtIsSettled() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    List<CompletableFuture<TakeResult>> decided = new ArrayList<>();
    shared.meanwhile = () -> decided.add(fixture.take(pool, 1).toCompletableFuture());

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(decided).singleElement().matches(answer -> answer.join().taken());
    assertThat(takeAndReturnDebt(pool, 88)).isEqualTo(11);
    assertThat(shared.ended).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"leaky-bucket 100/h queue=100", "sliding-log 100/h"})
  void leakyBucketAndLogGetNoRefund(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveDuringOutage(5, pool, 50);
    takeAndReturnDebt(pool, 49);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
  }
}
