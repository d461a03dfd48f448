package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.countingDenied;
import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Ratio;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of costs other than 1, and of calls that only look. */
interface CostContract extends ContractPart {
  @TestFactory
  default Stream<DynamicTest> aCostOfZeroPassesAndChangesNothing() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          assertThat(calls().take(pool, 0).remaining()).isEqualTo(4);
          calls().take(draw(pool, 4, Intent.HOLD));
          LimitStatus status = calls().take(pool, 0);
          assertThat(status.allowed()).isTrue();
          assertThat(status.retryAfter()).contains(Duration.ZERO);
          assertThat(status.remaining()).isZero();
        });
  }

  @Test
  default void aCostOfZeroPassesEvenInDebt() {
    Pool pool = pool("4/h");
    List<ReservedPart> parts = calls().reserve(1, pool, 1);
    calls().settle(1, parts, 40);
    assertThat(calls().take(pool, 0).allowed()).isTrue();
    assertThat(calls().take(pool, 1).allowed()).isFalse();
  }

  @TestFactory
  default Stream<DynamicTest> aLimitOfZeroRefusesEverythingForEver() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, Limit.parse(limit).scaled(Ratio.of(0, 1)));
          for (long cost : new long[] {0, 1, 100}) {
            assertRefusedForEver(calls().take(pool, cost));
            assertRefusedForEver(calls().look(pool, cost));
          }
          assertThat(calls().take(pool, 1).remaining()).isZero();
        });
  }

  @TestFactory
  default Stream<DynamicTest> aCostAboveTheCapacityIsRefusedForEverAndTakesNothing() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          for (long cost : new long[] {5, 1L << 40, Long.MAX_VALUE}) {
            assertRefusedForEver(calls().take(draw(pool, cost, Intent.HOLD)).statuses().get(0));
          }
          assertThat(calls().remaining(pool)).isEqualTo(4);
          assertThat(calls().take(draw(pool, 4, Intent.HOLD)).taken()).isTrue();
        });
  }

  @TestFactory
  default Stream<DynamicTest> lookingJudgesTheAmountAndChangesNothing() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 2, Intent.HOLD));
          for (int i = 0; i < 3; i++) {
            assertThat(calls().look(pool, 2).allowed()).isTrue();
            assertThat(calls().look(pool, 2).remaining()).isEqualTo(2);
            assertThat(calls().look(pool, 3).allowed()).isFalse();
          }
        });
  }

  @TestFactory
  default Stream<DynamicTest> lookingUnderOtherNumbersChangesNothingEither() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 3, Intent.HOLD));
          harness().advance(Duration.ofMillis(10));
          LimitStatus before = calls().look(pool, 1);
          for (String other : List.of(limit.replace("4", "1"), limit.replaceAll("4/h", "4/1ms"))) {
            Limit changed = Limit.parse(other);
            calls().look(pool(limit, changed), 1);
            calls().take(draw(pool(limit, changed), 0));
            ContractCalls.get(harness().store().describe(List.of(draw(pool(limit, changed), 1))));
          }
          LimitStatus after = calls().look(pool, 1);
          assertThat(after.remaining()).isEqualTo(before.remaining());
          assertTime(after.reset(), before.reset());
        });
  }

  @Test
  default void refusalsCountIfTheRuleCountsThem() {
    Pool pool = countingDenied("4/h");
    calls().take(pool, 4);
    LimitStatus first = calls().take(pool, 1);
    assertThat(first.allowed()).isFalse();
    assertTime(first.retryAfter().orElseThrow(), Duration.ofMinutes(30));
    for (int i = 0; i < 20; i++) {
      calls().take(pool, 1);
    }
    assertTime(calls().look(pool, 1).reset(), Duration.ofHours(2));

    assumeTrue(harness().virtual());
    harness().advance(calls().look(pool, 1).retryAfter().orElseThrow());
    assertThat(calls().take(pool, 1).allowed()).isTrue();
  }

  @Test
  default void refusedLookIsNotCounted() {
    Pool pool = countingDenied("4/h");
    calls().take(pool, 4);
    for (int i = 0; i < 5; i++) {
      assertThat(calls().look(pool, 1).allowed()).isFalse();
    }
    assertTime(calls().look(pool, 1).reset(), Duration.ofHours(1));
  }
}
