package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.limit.LeaseLedger;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of a store that lends, in addition to {@link StoreContract}. A subclass creates an empty
 * store on virtual time. The parts on debts, lifetimes and changed numbers are in interfaces of
 * their own; {@link LendingProperties} are the other half.
 */
public abstract class LendingContract
    implements LendingAlternationContract, LendingDebtContract, LendingLifetimeContract {
  private StoreHarness harness;
  private ContractCalls calls;

  /** An empty store, on virtual time. */
  protected abstract StoreHarness create();

  @BeforeEach
  final void open() {
    harness = create();
    calls = new ContractCalls(harness.store());
  }

  @AfterEach
  final void close() {
    harness.close();
  }

  @Override
  public final StoreHarness harness() {
    return harness;
  }

  @Test
  void lendsWhatIsAskedForAndTakesItFromTheBucket() {
    Pool pool = pool("1000/day");

    TakeResult result = calls.take(draw(pool, 5).withLease(asking(40)));

    assertThat(result.taken()).isTrue();
    assertThat(result.grants()).hasSize(1);
    assertThat(result.grants().get(0).lent()).isEqualTo(40);
    assertThat(result.grants().get(0).kept()).isZero();
    assertThat(result.grants().get(0).window()).isZero();
    assertThat(result.grants().get(0).life()).isEqualTo(LeaseLedger.LIFE);
    assertThat(result.statuses().get(0).remaining()).isEqualTo(955);
    assertThat(calls.remaining(pool)).isEqualTo(955);
  }

  @Test
  void lendsThreeQuartersOfWhatMayStillBeLent() {
    Pool pool = pool("1000/day");

    assertThat(report(pool, asking(500)).lent()).isEqualTo(75);
    assertThat(report(pool, asking(500)).lent()).isEqualTo(18);
    assertThat(report(pool, asking(500)).lent()).isEqualTo(5);
    assertThat(calls.remaining(pool)).isEqualTo(902);
  }

  @Test
  void lendsNoMoreThanTheDrawLeaves() {
    Pool pool = pool("20/day");

    assertThat(calls.take(draw(pool, 15).withLease(asking(40))).grants().get(0).lent())
        .isEqualTo(5);
    assertThat(calls.remaining(pool)).isZero();
  }

  @Test
  void reportsTheStoreTimeForEveryOutcome() {
    Pool pool = pool("20/day");
    harness.advance(Duration.ofSeconds(3));
    long now = harness.now(Limit.perHour(1));

    assertThat(report(pool, asking(10)).at()).isEqualTo(now);
    assertThat(calls.take(draw(pool, 15).withLease(asking(10))).grants().get(0).at())
        .isEqualTo(now);
  }

  @Test
  void lendsNothingToARefusedCallButAppliesItsReport() {
    Pool pool = pool("20/day");
    LeaseGrant held = report(pool, asking(10));

    TakeResult refused = calls.take(draw(pool, 15).withLease(keeping(held, 4, 40)));

    assertThat(refused.taken()).isFalse();
    assertThat(refused.grants().get(0).lent()).isZero();
    assertThat(refused.grants().get(0).kept()).isEqualTo(4);
    assertThat(calls.remaining(pool)).isEqualTo(10);
    // Only 4 of 10 are still on lease, so 72 of the other 96 may be lent.
    assertThat(report(pool("1000/day"), asking(500)).lent()).isEqualTo(72);
  }

  @Test
  void lendsNothingWhenAnotherDrawRefuses() {
    Pool pool = pool("1000/day");
    Pool full = pool("full", "1/day");
    calls.take(full, 1);

    TakeResult refused = calls.take(draw(pool, 1).withLease(asking(10)), draw(full, 1));

    assertThat(refused.taken()).isFalse();
    assertThat(refused.grants().get(0).lent()).isZero();
    assertThat(calls.remaining(pool)).isEqualTo(1000);
  }

  @Test
  void lendsAgainWhatWasHandedOut() {
    Pool pool = pool("1000/day");
    LeaseGrant held = report(pool, asking(500));

    LeaseGrant next = report(pool, keeping(held, 15, 500));

    assertThat(next.kept()).isEqualTo(15);
    assertThat(next.lent()).isEqualTo(63); // three quarters of 85
  }

  @Test
  void takesBackWhatIsReturned() {
    Pool pool = pool("1000/day");
    LeaseGrant held = report(pool, asking(60));

    report(pool, returning(held, 50));

    assertThat(calls.remaining(pool)).isEqualTo(990);
    assertThat(report(pool, asking(500)).lent()).isEqualTo(75);
  }

  @Test
  void endsALease() {
    Pool pool = pool("1000/day");
    LeaseGrant held = report(pool, asking(60));

    endLease(pool, returning(held, 50));

    assertThat(calls.remaining(pool)).isEqualTo(990);
    assertThat(report(pool, asking(500)).lent()).isEqualTo(75);
  }

  @Test
  void endsALeaseOnABucketThatIsGone() {
    Pool pool = pool("1000/day");

    endLease(pool, returning(new LeaseGrant(0, 60, 1, 0, 1), 50));

    assertThat(calls.remaining(pool)).isEqualTo(1000);
  }

  @Test
  void endingALeaseDoesNotBringOldNumbersBack() {
    Pool small = pool("20/day");
    Pool large = pool("1000/day");
    LeaseGrant held = report(small, asking(10));
    calls.take(large, 500);

    endLease(small, returning(held, 10));

    assertThat(calls.remaining(large)).isEqualTo(500);
  }

  @Test
  void aWindowTakesBackOnlyWhatWasTakenFromIt() {
    Pool pool = pool("fixed-window 1000/h");
    LeaseGrant held = report(pool, asking(60));
    endLease(pool, returning(held, 20));
    assertThat(calls.remaining(pool)).isEqualTo(960);

    harness.advance(Duration.ofHours(1));
    calls.take(pool, 100);
    endLease(pool, returning(held, 20));

    assertThat(calls.remaining(pool)).isEqualTo(900);
  }

  @Test
  void lookChangesNoLease() {
    Pool pool = pool("1000/day");
    LeaseGrant held = report(pool, asking(60));

    calls.look(pool, 1);

    assertThat(report(pool, keeping(held, 60, 500)).lent()).isEqualTo(30);
  }

  @Test
  void limitOfZeroForAWhileKeepsOutstandingLeases() {
    Pool pool = pool("1000/day");
    Pool none = pool("0/day");
    report(pool, asking(60));

    calls.take(draw(none, 1));
    calls.take(draw(none, 1), draw(none, 1));
    report(none, owing(1));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }
}
