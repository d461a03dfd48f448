package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.Limit;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Changed numbers preserve the usage of a key; clocks that step neither grant nor block anything.
 */
interface ChangeContract extends ContractPart {
  @TestFactory
  default Stream<DynamicTest> raisedLimitsHelpAtOnce() {
    return each(
        LIMITS,
        limit -> {
          calls().take(draw(pool(limit, limit), 4, Intent.HOLD));
          Pool raised = pool(limit, limit.replace("4", "6").replace("=3", "=5"));
          assertThat(calls().remaining(raised)).isEqualTo(2);
          assertThat(calls().take(draw(raised, 2, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().take(draw(raised, 1, Intent.HOLD)).taken()).isFalse();
        });
  }

  @TestFactory
  default Stream<DynamicTest> loweredLimitsBindAtOnce() {
    return each(
        LIMITS,
        limit -> {
          calls().take(draw(pool(limit, limit), 1, Intent.HOLD));
          Pool lowered = pool(limit, limit.replace("4", "2").replace("=3", "=1"));
          assertThat(calls().take(draw(lowered, 2, Intent.HOLD)).taken()).isFalse();
          assertThat(calls().take(draw(lowered, 1, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().remaining(lowered)).isZero();
        });
  }

  @TestFactory
  default Stream<DynamicTest> anotherPeriodGivesNoFreshBucket() {
    return each(
        LIMITS,
        limit -> {
          calls().take(draw(pool(limit, limit), 3, Intent.HOLD));
          String longer = limit.replace("day", "week").replace("4/h", "4/day").replace("1h", "2h");
          Pool changed = pool(limit, longer);
          assertThat(calls().take(draw(changed, 1, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().take(draw(changed, 1, Intent.HOLD)).taken()).isFalse();
        });
  }

  @TestFactory
  default Stream<DynamicTest> aligningWindowsGivesNoFreshWindow() {
    return each(
        List.of("fixed-window 4/h", "sliding-window 4/h"),
        limit -> {
          Pool own = pool(limit, limit);
          Pool aligned = pool(limit, limit + " aligned=true");
          calls().take(own, 2);
          assertThat(calls().take(aligned, 1).remaining()).isEqualTo(1);
          assertThat(calls().take(own, 1).remaining()).isZero();
          assertThat(calls().take(aligned, 1).allowed()).isFalse();
        });
  }

  @Test
  default void aNameIsNotANumber() {
    Limit limit = Limit.parse("4/h");
    calls().take(new Pool("rule", "old", "1", limit, false), 3);
    Pool renamed = new Pool("rule", "new", "1", limit.named("new"), true);
    assertThat(calls().remaining(renamed)).isEqualTo(1);
  }

  @Test
  default void anotherAlgorithmStartsFresh() {
    calls().take(pool("4/h"), 4);
    assertThat(calls().remaining(pool("fixed-window 4/h"))).isEqualTo(4);
    assertThat(calls().remaining(pool("4/h"))).isZero();
  }

  @TestFactory
  default Stream<DynamicTest> aClockSetBackGivesNothing() {
    return each(
        LIMITS,
        limit -> {
          assumeTrue(harness().virtual());
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 4, Intent.HOLD));
          harness().step(Duration.ofHours(-30));
          assertThat(calls().take(draw(pool, 1, Intent.HOLD)).taken()).isFalse();
          harness().step(Duration.ofHours(30));
        });
  }

  @TestFactory
  default Stream<DynamicTest> aClockSetBackFreezesNothing() {
    return each(
        LIMITS,
        limit -> {
          assumeTrue(harness().virtual());
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 4, Intent.HOLD));
          harness().step(Duration.ofHours(-30));
          calls().take(draw(pool, 1, Intent.HOLD));
          harness().advance(Duration.ofHours(24));
          assertThat(calls().take(draw(pool, 4, Intent.HOLD)).taken()).isTrue();
        });
  }

  @TestFactory
  default Stream<DynamicTest> aClockSetForwardGrantsOneBurst() {
    return each(
        LIMITS,
        limit -> {
          assumeTrue(harness().virtual());
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 4, Intent.HOLD));
          harness().step(Duration.ofDays(400));
          assertThat(calls().take(draw(pool, 4, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().take(draw(pool, 1, Intent.HOLD)).taken()).isFalse();
        });
  }
}
