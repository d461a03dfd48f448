package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of each algorithm on its own. */
interface AlgorithmContract extends ContractPart {
  @TestFactory
  default Stream<DynamicTest> admitsUpToTheLimitAndReportsWhenToRetry() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          for (int left = 3; left >= 0; left--) {
            LimitStatus status = calls().take(pool, 1);
            assertThat(status.allowed()).isTrue();
            assertThat(status.remaining()).isEqualTo(left);
            assertThat(status.retryAfter()).contains(Duration.ZERO);
          }
          LimitStatus refused = calls().take(pool, 1);
          assertThat(refused.allowed()).isFalse();
          assertThat(refused.remaining()).isZero();

          assumeTrue(harness().virtual());
          Duration wait = refused.retryAfter().orElseThrow();
          assertThat(wait).isPositive();
          harness().advance(wait.minusNanos(1000));
          assertThat(calls().take(pool, 1).allowed()).as("a microsecond early").isFalse();
          harness().advance(Duration.ofNanos(1000));
          assertThat(calls().take(pool, 1).allowed()).as("in time").isTrue();
        });
  }

  @TestFactory
  default Stream<DynamicTest> standsAsIfNeverUsedAfterItsReset() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 3, Intent.HOLD));
          LimitStatus used = calls().look(pool, 1);
          assertThat(used.remaining()).isEqualTo(1);
          assertThat(used.reset()).isPositive();

          assumeTrue(harness().virtual());
          harness().advance(used.reset());
          LimitStatus fresh = calls().look(pool, 4);
          assertThat(fresh.allowed()).isTrue();
          assertThat(fresh.remaining()).isEqualTo(4);
          assertThat(fresh.reset()).isZero();
        });
  }

  @Test
  default void statusDescribesItsLimitCompletely() {
    Pool pool = new Pool("payments", "per-user", "2", io.weir.Limit.parse("4/h"), false);
    LimitStatus status = calls().take(pool, 3);
    assertThat(status.rule()).isEqualTo("payments");
    assertThat(status.name()).isEqualTo("per-user");
    assertThat(status.limit()).isEqualTo(io.weir.Limit.parse("4/h"));
    assertThat(status.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(status.remaining()).isEqualTo(1);
    assertThat(status.delay()).isZero();
    assertTime(status.reset(), Duration.ofMinutes(45));

    LimitStatus refused = calls().take(pool, 2);
    assertTime(refused.retryAfter().orElseThrow(), Duration.ofMinutes(15));
    assertTime(refused.reset(), Duration.ofMinutes(45));
    assertThat(refused.remaining()).isEqualTo(1);
  }

  @Test
  default void leakyBucketDelaysEachCallByTheQueueAheadOfIt() {
    Pool pool = pool("leaky-bucket 1/min queue=2");
    for (int before = 0; before < 3; before++) {
      LimitStatus status = calls().take(pool, 1);
      assertThat(status.allowed()).isTrue();
      assertTime(status.delay(), Duration.ofMinutes(before));
    }
    LimitStatus refused = calls().take(pool, 1);
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.delay()).isZero();
    assertTime(refused.retryAfter().orElseThrow(), Duration.ofMinutes(1));
  }

  @Test
  default void callThatCannotWaitIsAdmittedOnlyToAnEmptyQueue() {
    Pool pool = pool("leaky-bucket 1/min queue=5");
    assertThat(calls().take(draw(pool, 3, Intent.TAKE_NOW)).taken()).isTrue();
    LimitStatus refused = calls().take(draw(pool, 1, Intent.TAKE_NOW)).statuses().get(0);
    assertThat(refused.allowed()).isFalse();
    assertTime(refused.retryAfter().orElseThrow(), Duration.ofMinutes(3));
    assertThat(calls().take(draw(pool, 0, Intent.TAKE_NOW)).taken()).as("a look").isTrue();
    assertThat(calls().take(draw(pool, 3, Intent.TAKE)).taken())
        .as("a call that can wait")
        .isTrue();

    LimitStatus full = calls().take(draw(pool, 1, Intent.TAKE_NOW)).statuses().get(0);
    assertTime(full.retryAfter().orElseThrow(), Duration.ofMinutes(6));
    assumeTrue(harness().virtual());
    harness().advance(full.retryAfter().orElseThrow());
    assertThat(calls().take(draw(pool, 1, Intent.TAKE_NOW)).taken()).isTrue();
  }

  @Test
  default void aQuotaFollowsItsCalendar() {
    assumeTrue(harness().virtual());
    Pool pool = pool("quota 2/month zone=Europe/Berlin");
    LimitStatus status = calls().take(pool, 2);
    assertThat(status.reset()).isLessThanOrEqualTo(Duration.ofDays(31));
    harness().advance(status.reset().minusNanos(1000));
    assertThat(calls().take(pool, 1).allowed()).isFalse();
    harness().advance(Duration.ofNanos(1000));
    assertThat(calls().take(pool, 2).allowed()).isTrue();
    assertThat(calls().look(pool, 1).reset()).isGreaterThan(Duration.ofDays(27));
  }

  @Test
  default void alignedWindowsEndOnTheClock() {
    assumeTrue(harness().virtual());
    Pool pool = pool("fixed-window 2/h aligned=true");
    long hour = 3_600_000_000L;
    long end = hour - Math.floorMod(harness().now(pool.meter().limit()), hour);
    assertThat(calls().take(pool, 1).reset()).isEqualTo(Duration.ofNanos(end * 1000));
  }

  @Test
  default void describesEveryDrawAndChangesNothing() {
    Pool[] pools = LIMITS.stream().map(limit -> pool(limit, limit)).toArray(Pool[]::new);
    for (Pool pool : pools) {
      calls().take(draw(pool, 1, Intent.HOLD));
    }
    var draws = Stream.of(pools).map(pool -> draw(pool, 2)).toList();
    for (int i = 0; i < 3; i++) {
      assertThat(ContractCalls.get(harness().store().describe(draws)))
          .hasSize(draws.size())
          .allSatisfy(text -> assertThat(text).isNotBlank());
    }
    for (Pool pool : pools) {
      assertThat(calls().remaining(pool)).isEqualTo(3);
    }
  }
}
