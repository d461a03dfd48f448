package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.get;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.Call;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.Weir;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of calls whose actual cost is known only later. */
interface ReservationContract extends ContractPart {
  /** How long the reservations of these tests can be settled. */
  Duration WITHIN = Duration.ofMinutes(10);

  @TestFactory
  default Stream<DynamicTest> settlingLowerGivesTheRestBack() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          List<ReservedPart> parts = calls().reserve(id(limit), pool, 3);
          assertThat(calls().remaining(pool)).isEqualTo(1);
          assertThat(calls().settle(id(limit), parts, 1)).isTrue();
          assertThat(calls().remaining(pool)).isEqualTo(3);
        });
  }

  @TestFactory
  default Stream<DynamicTest> settlingAtZeroGivesAllBack() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          List<ReservedPart> parts = calls().reserve(id(limit), pool, 4);
          assertThat(calls().settle(id(limit), parts, 0)).isTrue();
          assertThat(calls().remaining(pool)).isEqualTo(4);
          assertThat(calls().look(pool, 1).reset()).isZero();
        });
  }

  @TestFactory
  default Stream<DynamicTest> settlingHigherLeavesADebt() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          List<ReservedPart> parts = calls().reserve(id(limit), pool, 1);
          assertThat(calls().settle(id(limit), parts, 7)).isTrue();
          LimitStatus status = calls().take(pool, 1);
          assertThat(status.allowed()).isFalse();
          assertThat(status.remaining()).isZero();

          assumeTrue(harness().virtual());
          harness().advance(status.retryAfter().orElseThrow());
          assertThat(calls().take(pool, 1).allowed()).isTrue();
        });
  }

  @TestFactory
  default Stream<DynamicTest> settlesAtNoMoreThanTenTimesWhatWasReservedOrTheCapacity() {
    return each(
        RATES,
        limit -> {
          Weir weir = instance(limit);
          Call call = Call.of("GET", "/").with("user", "somebody");
          String one = get(weir.reserveAsync(call)).reservation().orElseThrow();
          for (long cost : new long[] {11, Call.MAX_COST}) {
            assertThatThrownBy(() -> weir.settleAsync(one, cost))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cost " + cost + " is above 10");
          }
          assertThat(get(weir.lookAsync(call)).remaining()).as("nothing was settled").isEqualTo(3);
          assertThat(get(weir.settleAsync(one, 10))).isEqualTo(SettlementResult.DONE);
          assertThat(get(weir.lookAsync(call)).allowed()).isFalse();
        });
  }

  @TestFactory
  default Stream<DynamicTest> settlesByHugeKeysOnAnotherInstance() {
    return each(
        RATES,
        limit -> {
          String huge = "x".repeat(400_000);
          Call call = Call.of("GET", "/").with("user", huge).cost(3);
          String reservation = get(instance(limit).reserveAsync(call)).reservation().orElseThrow();
          assertThat(reservation).hasSizeLessThan(1000);

          Weir other = instance(limit);
          assertThat(get(other.lookAsync(call)).remaining()).isEqualTo(1);
          assertThat(get(other.settleAsync(reservation, 1))).isEqualTo(SettlementResult.DONE);
          assertThat(get(other.lookAsync(call)).remaining()).isEqualTo(3);
          assertThat(get(other.lookAsync(call.with("user", huge + "y"))).remaining()).isEqualTo(4);
        });
  }

  /** An instance with one rule for users, on the store under test. */
  private Weir instance(String limit) {
    Rule rule =
        Rule.named(pool(limit, limit).rule())
            .key("user")
            .limit(Limit.parse(limit))
            .accuracy(Accuracy.EXACT)
            .build();
    return Weir.builder()
        .rules(RuleSet.of(rule))
        .store(harness().store())
        .reservationSecret("shared by instances".getBytes(StandardCharsets.UTF_8))
        .build();
  }

  @Test
  default void aBucketsDebtDrainsAtItsRate() {
    Pool pool = pool("4/h");
    calls().settle(1, calls().reserve(1, pool, 1), 7);
    LimitStatus status = calls().take(pool, 1);
    assertTime(status.retryAfter().orElseThrow(), Duration.ofMinutes(60));
    assertTime(status.reset(), Duration.ofMinutes(105));
  }

  @TestFactory
  default Stream<DynamicTest> settlesAtMostOnce() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(pool, 2);
          List<ReservedPart> parts = calls().reserve(id(limit), pool, 2);
          assertThat(calls().settle(id(limit), parts, 1)).isTrue();
          assertThat(calls().settle(id(limit), parts, 0)).isFalse();
          assertThat(calls().settle(id(limit), parts, 9)).isFalse();
          assertThat(calls().remaining(pool)).isEqualTo(1);
        });
  }

  @Test
  default void settlesAtMostOnceEvenWithOtherPartsTheNextTime() {
    Pool user = pool("user-rule", "9/h").withDimension("user");
    Pool ip = pool("ip-rule", "quota 9/month").withDimension("ip");
    Pool all = pool("all-rule", "sliding-log 9/h").withDimension("");
    List<Draw> draws = List.of(draw(user, 2), draw(ip, 2), draw(all, 2));
    for (long id = 1; id <= 3; id++) {
      calls().take(draws.toArray(Draw[]::new)); // must not be refunded
      List<ReservedPart> parts = calls().reserve(id, draws);
      assertThat(calls().settle(id, parts, 0)).isTrue();
      for (ReservedPart left : parts) {
        assertThat(calls().settle(id, List.of(left), 0)).as("%s", left.pool()).isFalse();
      }
      assertThat(calls().settle(id, parts.subList(1, 3), 0)).isFalse();
      for (Pool pool : List.of(user, ip, all)) {
        assertThat(calls().remaining(pool)).as("%s", pool).isEqualTo(9 - 2 * id);
      }
    }
  }

  @Test
  default void oneReservationDoesNotSettleAnother() {
    Pool pool = pool("4/h");
    List<ReservedPart> first = calls().reserve(1, pool, 2);
    List<ReservedPart> second = calls().reserve(2, pool, 2);
    assertThat(calls().settle(1, first, 0)).isTrue();
    assertThat(calls().settle(2, second, 1)).isTrue();
    assertThat(calls().remaining(pool)).isEqualTo(3);
  }

  @Test
  default void settlesSeveralPartsAtOnce() {
    Pool bucket = pool("bucket", "4/h");
    Pool quota = pool("quota", "quota 10/day");
    List<ReservedPart> parts = calls().reserve(1, List.of(draw(bucket, 3), draw(quota, 3)));
    assertThat(calls().settle(1, parts, 1)).isTrue();
    assertThat(calls().remaining(bucket)).isEqualTo(3);
    assertThat(calls().remaining(quota)).isEqualTo(9);
  }

  @Test
  default void aRefusedReservationTakesNothingAndHasNothingToSettle() {
    Pool shut = pool("shut", "1/h");
    Pool open = pool("open", "4/h");
    calls().take(shut, 1);
    TakeResult result =
        ContractCalls.get(harness().store().reserve(1, List.of(draw(open, 2), draw(shut, 1))));
    assertThat(result.taken()).isFalse();
    assertThat(result.receipts()).isEmpty();
    assertThat(calls().remaining(open)).isEqualTo(4);
  }

  @Test
  default void aReservationHasAReceiptForEveryDraw() {
    List<Draw> draws =
        LIMITS.stream().map(limit -> draw(pool(limit, limit), 1, Intent.HOLD)).toList();
    assertThat(ContractCalls.get(harness().store().reserve(1, draws)).receipts())
        .hasSize(draws.size());
  }

  @Test
  default void leakyBucketRefundsOnlyIfNoCallQueuedLater() {
    Pool pool = pool("leaky-bucket 4/h queue=3");
    List<ReservedPart> first = calls().reserve(1, pool, 1);
    List<ReservedPart> second = calls().reserve(2, pool, 1);
    calls().settle(1, first, 0);
    assertThat(calls().remaining(pool)).isEqualTo(2);
    calls().settle(2, second, 0);
    assertThat(calls().remaining(pool)).isEqualTo(3);
  }

  @Test
  default void aWindowTakesBackOnlyWhatItWasCharged() {
    assumeTrue(harness().virtual());
    for (String limit : List.of("fixed-window 4/h", "quota 4/h")) {
      Pool pool = pool(limit, limit);
      List<ReservedPart> parts = calls().reserve(id(limit), pool, 2);
      harness().advance(calls().look(pool, 1).reset());
      calls().take(pool, 3);
      assertThat(calls().settle(id(limit), parts, 0)).isTrue();
      assertThat(calls().remaining(pool)).isEqualTo(1);
    }
  }

  @Test
  default void givingBackNeverRaisesAboveFull() {
    assumeTrue(harness().virtual());
    Pool pool = pool("4/h");
    List<ReservedPart> parts = calls().reserve(1, pool, 4);
    harness().advance(Duration.ofMinutes(50));
    calls().settle(1, parts, 0);
    assertThat(calls().remaining(pool)).isEqualTo(4);
    assertThat(calls().take(pool, 4).remaining()).isZero();
  }

  @Test
  default void settlementIsChargedEvenIfTheBucketWasForgotten() {
    assumeTrue(harness().virtual());
    Pool pool = pool("4/h");
    List<ReservedPart> parts = calls().reserve(1, pool, 1);
    harness().advance(Duration.ofHours(1));
    calls().settle(1, parts, 4);
    assertThat(calls().remaining(pool)).isEqualTo(1);
  }

  @TestFactory
  default Stream<DynamicTest> refundsWhatWasTakenJustNow() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(pool, 3);
          ContractCalls.get(harness().store().refund(pool, ContractCalls.KEY, 2));
          assertThat(calls().remaining(pool)).isEqualTo(3);
          ContractCalls.get(harness().store().refund(pool, ContractCalls.KEY, 100));
          assertThat(calls().remaining(pool)).isEqualTo(4);
        });
  }

  @Test
  default void aRefundOfNothingTakenIsNothing() {
    Pool pool = pool("4/h");
    ContractCalls.get(harness().store().refund(pool, ContractCalls.KEY, 3));
    assertThat(calls().take(pool, 4).allowed()).isTrue();
    assertThat(calls().take(pool, 1).allowed()).isFalse();
  }

  @Test
  default void repeatedSettlesOfAReservationApplyOnce() {
    assumeTrue(harness().virtual());
    Pool pool = pool("quota 10/month");
    List<ReservedPart> parts = calls().reserve(1, pool, 4);
    assertThat(calls().settle(1, parts, 3, WITHIN)).isTrue();
    for (int minute = 0; minute < 30; minute++) {
      assertThat(calls().settle(1, parts, 0, WITHIN)).as("minute %d", minute).isFalse();
      harness().advance(Duration.ofMinutes(1));
    }
    assertThat(calls().remaining(pool)).isEqualTo(7);
  }

  @Test
  default void anOldReservationCannotBeSettled() {
    assumeTrue(harness().virtual());
    Pool pool = pool("quota 10/month");
    List<ReservedPart> first = calls().reserve(1, pool, 3);
    List<ReservedPart> second = calls().reserve(2, pool, 3);
    harness().advance(WITHIN.minusMillis(1));
    assertThat(calls().settle(1, first, 0, WITHIN)).isTrue();
    harness().advance(Duration.ofMillis(1));
    assertThat(calls().settle(2, second, 0, WITHIN)).isFalse();
    assertThat(calls().remaining(pool)).isEqualTo(7);
  }

  /** A reservation id for this limit only. */
  private static long id(String limit) {
    return 1 + LIMITS.indexOf(limit);
  }
}
