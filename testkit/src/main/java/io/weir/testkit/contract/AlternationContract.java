package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Instances that hold different numbers for one rule, as they do while a change spreads, never
 * refund each other: together they admit no more than the larger limit alone.
 */
interface AlternationContract extends ContractPart {
  /** A larger limit, and a smaller one of the same algorithm. */
  record Numbers(String larger, String smaller) {
    @Override
    public String toString() {
      return larger + " and " + smaller;
    }
  }

  /** Which of the two instances decides which call. */
  record Turns(String name, Duration pause, IntPredicate isSmaller) {
    static List<Turns> all() {
      Random random = new Random(7);
      boolean[] any = new boolean[CALLS];
      for (int i = 0; i < CALLS; i++) {
        any[i] = random.nextBoolean();
      }
      return List.of(
          new Turns("in turn", Duration.ofMillis(50), i -> i % 2 == 0),
          new Turns("in turn, slowly", Duration.ofMillis(611), i -> i % 2 == 1),
          new Turns("by chance", Duration.ofMillis(97), i -> any[i]),
          new Turns("in bursts", Duration.ofMillis(103), i -> i % 40 < 20),
          new Turns("mostly the smaller", Duration.ofMillis(307), i -> i % 10 > 0));
    }
  }

  /** Smaller limits with shorter windows. */
  List<Numbers> SHORTER =
      List.of(
          new Numbers("fixed-window 30/min aligned=true", "fixed-window 1/10s aligned=true"),
          new Numbers("sliding-window 30/min aligned=true", "sliding-window 1/10s aligned=true"),
          new Numbers("sliding-log 30/min", "sliding-log 1/10s"),
          new Numbers("quota 30/day", "quota 1/h"));

  int CALLS = 400;

  List<Numbers> NUMBERS =
      List.of(
          new Numbers("30/min", "1/min"),
          new Numbers("100/min", "50/min"),
          new Numbers("100/min", "100/min burst=10"),
          new Numbers("60/min burst=100", "60/min burst=1"),
          new Numbers("7/s burst=9", "3/s burst=9"),
          new Numbers("30/min", "0/min"),
          new Numbers("leaky-bucket 30/min queue=29", "leaky-bucket 1/min queue=0"),
          new Numbers("leaky-bucket 60/min queue=60", "leaky-bucket 60/min queue=3"),
          new Numbers("fixed-window 30/min aligned=true", "fixed-window 1/min aligned=true"),
          new Numbers("fixed-window 30/s aligned=true", "fixed-window 3/min aligned=true"),
          new Numbers("fixed-window 30/10s aligned=true", "fixed-window 10/min aligned=true"),
          new Numbers("sliding-window 30/min aligned=true", "sliding-window 1/min aligned=true"),
          new Numbers("sliding-window 30/10s aligned=true", "sliding-window 10/min aligned=true"),
          new Numbers("sliding-log 30/min", "sliding-log 1/min"),
          new Numbers("sliding-log 30/10s", "sliding-log 10/min"),
          new Numbers("quota 30/h", "quota 3/h"),
          new Numbers("quota 30/h", "quota 10/day"));

  @TestFactory
  default Stream<DynamicTest> twoNumbersAdmitNoMoreThanTheLarger() {
    return NUMBERS.stream()
        .map(
            numbers ->
                DynamicTest.dynamicTest(
                    numbers.toString(),
                    () -> Turns.all().forEach(turns -> admitsNoMore(numbers, turns))));
  }

  /**
   * A shorter window does not wait for the end of a longer one. So both may admit what they admit
   * alone; neither ends a window of the other early.
   */
  @TestFactory
  default Stream<DynamicTest> aShorterWindowRefundsNothingToALongerOne() {
    return SHORTER.stream()
        .map(
            numbers ->
                DynamicTest.dynamicTest(
                    numbers.toString(),
                    () -> Turns.all().forEach(turns -> admitsNoMoreThanBoth(numbers, turns))));
  }

  private void admitsNoMoreThanBoth(Numbers numbers, Turns turns) {
    assumeTrue(harness().virtual());
    String id = numbers + " " + turns.name();
    Pool larger = pool(id, numbers.larger());
    Pool smaller = pool(id, numbers.smaller());
    Pool largerAlone = pool(id + " larger", numbers.larger());
    Pool smallerAlone = pool(id + " smaller", numbers.smaller());
    int together = 0;
    int alone = 0;
    for (int i = 0; i < CALLS; i++) {
      together += admitted(turns.isSmaller().test(i) ? smaller : larger);
      alone += admitted(largerAlone) + admitted(smallerAlone);
      harness().advance(turns.pause());
    }
    assertThat(together).as("%s, %s", numbers, turns.name()).isLessThanOrEqualTo(alone);
  }

  private void admitsNoMore(Numbers numbers, Turns turns) {
    assumeTrue(harness().virtual());
    String id = numbers + " " + turns.name();
    Pool larger = pool(id, numbers.larger());
    Pool smaller = pool(id, numbers.smaller());
    Pool alone = pool(id + " alone", numbers.larger());
    int together = 0;
    int byLarger = 0;
    for (int i = 0; i < CALLS; i++) {
      together += admitted(turns.isSmaller().test(i) ? smaller : larger);
      byLarger += admitted(alone);
      harness().advance(turns.pause());
    }
    assertThat(together).as("%s, %s", numbers, turns.name()).isLessThanOrEqualTo(byLarger);
  }

  private int admitted(Pool pool) {
    return calls().take(draw(pool, 1)).taken() ? 1 : 0;
  }

  @TestFactory
  default Stream<DynamicTest> refusalsOfTheSmallerLeaveTheLargerItsWholeRate() {
    return each(
        List.of("30/min", "leaky-bucket 30/min queue=29"),
        limit -> {
          assumeTrue(harness().virtual());
          Pool larger = pool(limit, limit);
          Pool smaller = pool(limit, limit.replace("30/", "1/").replace("=29", "=0"));
          int together = 0;
          for (int i = 0; i < 1200; i++) {
            together += admitted(i % 2 == 0 ? larger : smaller);
            harness().advance(Duration.ofMillis(50));
          }
          assertThat(together).isEqualTo(59);
        });
  }

  @Test
  default void loweringAndRaisingABurstMintsNothing() {
    assumeTrue(harness().virtual());
    Pool high = pool("60/min burst=30");
    Pool low = pool("60/min burst=20");
    int admitted = 0;
    for (int i = 0; i < 2400; i++) {
      admitted += admitted(i / 40 % 2 == 0 ? high : low);
      harness().advance(Duration.ofMillis(5));
    }
    assertThat(admitted).isBetween(40, 30 + 12);
  }

  @TestFactory
  default Stream<DynamicTest> aLoweredBurstIsWaitedForFromTheNewBurst() {
    return each(
        List.of("100/min", "leaky-bucket 100/min queue=99"),
        limit -> {
          assumeTrue(harness().virtual());
          Pool larger = pool(limit, limit);
          Pool smaller = pool(limit, limit.replace("100/", "6/").replace("=99", "=5"));
          calls().take(larger, 100);
          assertThat(calls().take(smaller, 1).retryAfter()).contains(Duration.ofSeconds(10));
          harness().advance(Duration.ofSeconds(40));
          assertThat(calls().take(smaller, 1).remaining()).isEqualTo(3);
          assertThat(calls().take(smaller, 3).allowed()).isTrue();
          assertThat(calls().take(smaller, 1).retryAfter()).contains(Duration.ofSeconds(10));
        });
  }

  @TestFactory
  default Stream<DynamicTest> aShorterWindowIsWaitedForOnce() {
    return each(
        List.of("fixed-window 100/h", "sliding-window 100/h", "quota 100/week"),
        limit -> {
          assumeTrue(harness().virtual());
          Pool larger = pool(limit, limit);
          Pool smaller = pool(limit, limit.replace("100/h", "10/s").replace("100/week", "10/h"));
          calls().take(larger, 100);
          assertThat(calls().take(smaller, 1).allowed()).isFalse();
          harness().advance(Duration.ofHours(limit.startsWith("quota") ? 2 : 0).plusSeconds(2));
          assertThat(calls().take(smaller, 10).allowed()).isTrue();
        });
  }

  @TestFactory
  default Stream<DynamicTest> aShorterWindowRefundsNothingOfALargeCount() {
    return each(
        List.of("fixed-window 10000000000/h aligned=true", "quota 10000000000/week"),
        limit -> {
          assumeTrue(harness().virtual());
          Pool larger = pool(limit, limit);
          Pool smaller =
              pool(
                  limit,
                  limit.replace("10000000000/h", "10/s").replace("10000000000/week", "10/h"));
          calls().take(larger, 9_000_000_000L);
          assertThat(calls().take(smaller, 1).allowed()).isFalse();
          harness().advance(Duration.ofHours(limit.startsWith("quota") ? 1 : 0).plusSeconds(1));
          assertThat(calls().take(smaller, 1).allowed()).isTrue();
          assertThat(calls().remaining(larger)).isEqualTo(999_999_999);
        });
  }

  /**
   * A settlement under a longer window empties the shorter one. The shorter window then counts only
   * later takes, and not the count that the longer window keeps.
   */
  @TestFactory
  default Stream<DynamicTest> aShorterWindowStaysEmptyAfterAllOfItWasGivenBack() {
    List<String> limits = List.of("fixed-window 10/h aligned=true", "quota 10/h");
    return each(
        limits,
        limit -> {
          assumeTrue(harness().virtual());
          Pool shorter = pool(limit, limit);
          Pool longer = pool(limit, limit.replace("10/h", "10/day"));
          long id = 1 + limits.indexOf(limit);
          ReservedPart part = calls().reserve(id, shorter, 3).get(0);
          ReservedPart changed = new ReservedPart(longer, part.key(), 3, 3, part.receipt());
          assertThat(calls().settle(id, List.of(changed), 0)).isTrue();
          assertThat(calls().take(longer, 2).remaining()).isEqualTo(5);
          assertThat(calls().take(shorter, 1).remaining()).isEqualTo(7);
          assertThat(calls().remaining(longer)).isEqualTo(4);
        });
  }

  @Test
  default void callRefusedByAnotherRuleStoresNoOtherNumbers() {
    assumeTrue(harness().virtual());
    Pool full = pool("full", "1/day");
    Pool larger = pool("100/min");
    Pool smaller = pool("100/min burst=10");
    calls().take(full, 1);
    calls().take(larger, 100);
    for (int i = 0; i < 10; i++) {
      harness().advance(Duration.ofMillis(600));
      TakeResult result = calls().take(draw(smaller, 1), draw(full, 1));
      assertThat(result.taken()).isFalse();
      assertThat(result.statuses().get(0).allowed()).isTrue();
    }
    assertThat(calls().remaining(larger)).isEqualTo(10);
  }

  @Test
  default void countedRefusalsRefundNothing() {
    assumeTrue(harness().virtual());
    Pool larger = ContractCalls.countingDenied("100/min");
    Pool smaller = ContractCalls.countingDenied("100/min burst=10");
    Pool none = ContractCalls.countingDenied("0/min");
    calls().take(larger, 60);
    for (int i = 0; i < 5; i++) {
      assertThat(calls().take(smaller, 1).allowed()).isFalse();
      assertThat(calls().take(none, 1).allowed()).isFalse();
    }
    assertThat(calls().remaining(larger)).isEqualTo(35);
  }

  @Test
  default void refundUnderTheSmallerLimitReturnsExactlyThatAmount() {
    assumeTrue(harness().virtual());
    Pool larger = pool("100/min");
    Pool smaller = pool("100/min burst=10");
    calls().take(larger, 100);
    harness().advance(Duration.ofMillis(600));
    ContractCalls.get(harness().store().refund(smaller, ContractCalls.KEY, 3));
    assertThat(calls().remaining(smaller)).isEqualTo(4);
    assertThat(calls().remaining(larger)).isEqualTo(4);
  }

  @Test
  default void aShorterTtlEndsNoPermitEarly() {
    assumeTrue(harness().virtual());
    Pool longer = pool("concurrency 2 permit_ttl=60s");
    Pool shorter = pool("concurrency 2 permit_ttl=5s");
    ContractCalls.get(harness().store().reserve(1, List.of(draw(longer, 1, Intent.HOLD))));
    ContractCalls.get(harness().store().reserve(2, List.of(draw(shorter, 1, Intent.HOLD))));
    assertThat(calls().take(draw(shorter, 1, Intent.HOLD)).taken()).isFalse();
    harness().advance(Duration.ofSeconds(6));
    assertThat(calls().remaining(shorter)).isEqualTo(1);
    harness().advance(Duration.ofSeconds(53));
    assertThat(calls().remaining(longer)).isEqualTo(1);
    harness().advance(Duration.ofSeconds(2));
    assertThat(calls().remaining(longer)).isEqualTo(2);
  }
}
