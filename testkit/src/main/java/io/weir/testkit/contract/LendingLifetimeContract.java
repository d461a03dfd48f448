package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.limit.LeaseLedger;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ledger forgets a lease that is not reported for an epoch, and none early. */
interface LendingLifetimeContract extends LendingPart {
  private void sleepUntilNextEpoch() {
    long now = harness().now(Limit.perHour(1));
    long left = LeaseLedger.EPOCH - Math.floorMod(now, LeaseLedger.EPOCH);
    harness().advance(Duration.ofNanos(left * 1000));
  }

  @Test
  default void forgetsALeaseAWholeEpochAfterItsOwn() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    report(pool, asking(500));

    sleepUntilNextEpoch();
    assertThat(report(pool, asking(500)).lent()).isEqualTo(18);
    sleepUntilNextEpoch();
    assertThat(report(pool, asking(500)).lent()).isEqualTo(61); // three quarters of 82
  }

  @Test
  default void countsARetainedLeaseInItsCurrentEpoch() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    LeaseGrant held = report(pool, asking(60));
    sleepUntilNextEpoch();
    report(pool, keeping(held, 60, 0));
    sleepUntilNextEpoch();

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }

  @Test
  default void aReportOnAForgottenLeaseTakesNothingFromOthers() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    LeaseGrant old = report(pool, asking(60));
    sleepUntilNextEpoch();
    sleepUntilNextEpoch();
    report(pool, asking(60));

    report(pool, keeping(old, 0, 0));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }

  @Test
  default void aWindowsLeaseEndsWithIt() {
    for (String limit : List.of("fixed-window 1000/h", "sliding-window 1000/h", "quota 1000/h")) {
      Pool pool = pool(limit, limit);
      calls().take(pool, 1);
      Duration left = calls().look(pool, 0).reset();
      if (limit.startsWith("sliding")) {
        left = left.minus(Duration.ofHours(1));
      }
      harness().advance(left.minusSeconds(2));

      LeaseGrant held = report(pool, asking(60));
      assertThat(held.lent()).as(limit).isEqualTo(60);
      assertThat(held.life()).as(limit).isEqualTo(2_000_000);
      assertThat(report(pool, keeping(held, 30, 0)).kept()).as(limit).isEqualTo(30);
      harness().advance(Duration.ofSeconds(2));
      LeaseGrant next = report(pool, keeping(held, 30, 500));

      assertThat(next.kept()).as(limit).isZero();
      assertThat(next.lent()).as(limit).isEqualTo(75);
      assertThat(next.life()).as(limit).isEqualTo(LeaseLedger.LIFE);
      assertThat(next.window()).as(limit).isGreaterThan(held.window());
    }
  }

  @Test
  default void aClockThatStepsBackForgetsNothingEarly() {
    Pool pool = pool("1000/day");
    report(pool, asking(60));
    harness().step(Duration.ofSeconds(-60));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }

  @Test
  default void aReportFromBeforeTheClockSteppedBackTakesNothingFromOthers() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    LeaseGrant old = report(pool, asking(20));
    harness().step(Duration.ofSeconds(-5));
    calls().take(draw(pool, 1));
    report(pool, asking(20));
    sleepUntilNextEpoch(); // the epoch of the first lease again
    calls().take(draw(pool, 1));
    report(pool, asking(20));

    report(pool, keeping(old, 0, 0));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }
}
