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

  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;

  /** Reserves so much while the store is away. */
  private TakeReceipt reserveAlone(long id, Pool pool, long amount) {
    CompletableFuture<TakeResult> answer =
        tier.tier.reserve(id, List.of(draw(pool, amount))).toCompletableFuture();
    shared.next().neverHear();
    return answer.join().receipts().get(0);
  }

  /** The next draw; tells what it carried. */
  private long tell(Pool pool, long remaining) {
    tier.take(pool, 1);
    ScriptedStore.StoreCall question = shared.next();
    question.admit(remaining);
    return question.lease().debt();
  }

  private CompletableFuture<SettlementResult> settle(
      long id, Pool pool, long amount, long cost, TakeReceipt at) {
    List<ReservedPart> parts = List.of(new ReservedPart(pool, KEY, amount, cost, at));
    return tier.tier.settle(id, parts, Duration.ofMinutes(10)).toCompletableFuture();
  }

  private long givenBack() {
    return shared.ended.stream().mapToLong(LeaseReport::returned).sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void whatIsNotToldYetIsOwedNoMore(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveAlone(5, pool, 50);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
    assertThat(tell(pool, 89)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED})
  void whatTheStoreWasToldOfGoesBackThereOnce(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveAlone(5, pool, 50);
    assertThat(tell(pool, 49)).isEqualTo(50);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.ALREADY);

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L);
    assertThat(shared.ended.get(0).held().window())
        .isBetween(
            limit.equals(BUCKET) ? 0 : at.time() - 999, limit.equals(BUCKET) ? 0 : at.time());
    assertThat(tell(pool, 88)).isZero();
    reserveAlone(6, pool, 7);
    assertThat(tell(pool, 80)).as("what comes after is owed").isEqualTo(7);
  }

  /** A debt was charged to both counts of a sliding window, as if evenly over its length. */
  @Test
  void aSlidingWindowGetsBackFromBothItsCounts() {
    Pool pool = onFail(OnFail.LOCAL, SLIDING);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tell(pool, 49);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    long hour = Duration.ofHours(1).toNanos() / 1000;
    LeaseReport before = shared.ended.get(0);
    assertThat(before.held().window()).isBetween(at.time() - hour - 999, at.time() - hour);
    assertThat(before.returned()).isEqualTo(40);
    double passed = 1 - (at.time() - tier.time.wallMicros()) / (double) hour;
    assertThat(givenBack() - 40).isBetween((long) (40 * passed) - 1, (long) (40 * passed));
    assertThat(tell(pool, 88)).isZero();
    reserveAlone(6, pool, 7);
    assertThat(tell(pool, 80)).isBetween(5L, 7L);
  }

  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void whatCameToMoreIsOwedBeforeAndAfterTheStoreWasTold(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt first = reserveAlone(5, pool, 20);
    assertThat(settle(5, pool, 20, 25, first)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(tell(pool, 74)).isEqualTo(25);
    TakeReceipt second = reserveAlone(6, pool, 20);
    assertThat(tell(pool, 53)).isBetween(19L, 20L);

    assertThat(settle(6, pool, 20, 30, second)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(tell(pool, 42)).isBetween(9L, 10L);
    assertThat(shared.ended).isEmpty();
  }

  @Test
  void whatIsStillOwedIsTakenOffFirst() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tell(pool, 49);
    reserveAlone(6, pool, 30);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(givenBack()).isEqualTo(10);
    assertThat(tell(pool, 58)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {QUOTA, FIXED})
  void aWindowThatIsOverGetsNothingBack(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tell(pool, 49);
    tier.time.advanceMicros(at.time() - tier.time.wallMicros());

    List<ReservedPart> parts = List.of(new ReservedPart(pool, KEY, 50, 10, at));
    tier.tier.settle(5, parts, Duration.ofDays(2));

    assertThat(shared.ended).isEmpty();
  }

  /** A window that is used up is charged a part of a debt only, and nobody says which. */
  @ParameterizedTest
  @ValueSource(strings = {BUCKET, QUOTA, FIXED, SLIDING})
  void whatTheStoreMayNotHaveChargedIsNotGivenBack(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tier.take(pool, 1);
    shared.next().refuse(Duration.ofSeconds(1));

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
  }

  @Test
  void whileTheStoreIsAwayAgainItCoversWhatIsLetThroughNext() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tell(pool, 49);
    shared.away.add(pool.rule());

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);
    shared.away.clear();
    reserveAlone(6, pool, 45);

    assertThat(shared.ended).isEmpty();
    assertThat(tell(pool, 43)).isEqualTo(5);
  }

  @Test
  void aDebtUnderWayIsWaitedFor() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tier.take(pool, 1);
    ScriptedStore.StoreCall carrying = shared.next();

    CompletableFuture<SettlementResult> settled = settle(5, pool, 50, 10, at);
    assertThat(settled).isNotDone();
    carrying.admit(49);

    assertThat(settled).isCompletedWithValue(SettlementResult.DONE);
    assertThat(givenBack()).isEqualTo(40);
  }

  /** What it read before would be too much, and the settlement could not know of it. */
  @Test
  void aBucketIsDecidedHereWhileItsDebtIsSettled() {
    Pool pool = onFail(OnFail.LOCAL, BUCKET);
    TakeReceipt at = reserveAlone(5, pool, 50);
    List<CompletableFuture<TakeResult>> decided = new ArrayList<>();
    shared.meanwhile = () -> decided.add(tier.take(pool, 1).toCompletableFuture());

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(decided).singleElement().matches(answer -> answer.join().taken());
    assertThat(tell(pool, 88)).isEqualTo(11);
    assertThat(shared.ended).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"leaky-bucket 100/h queue=100", "sliding-log 100/h"})
  void whatKeepsItsOrderStaysAsItWasTold(String limit) {
    Pool pool = onFail(OnFail.LOCAL, limit);
    TakeReceipt at = reserveAlone(5, pool, 50);
    tell(pool, 49);

    assertThat(settle(5, pool, 50, 10, at)).isCompletedWithValue(SettlementResult.DONE);

    assertThat(shared.ended).isEmpty();
  }
}
