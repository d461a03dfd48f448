package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.KEY;
import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.limit.LeaseLedger;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of a store that lends, in addition to {@link StoreContract}. A subclass creates an empty
 * store on virtual time. {@link LendingProperties} are the other half.
 */
public abstract class LendingContract implements LendingAlternationContract {
  private static final long MOST = 100;

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

  private static LeaseReport asking(long asked) {
    return new LeaseReport(MOST, LeaseGrant.NONE, 0, 0, asked, 0);
  }

  private static LeaseReport keeping(LeaseGrant held, long kept, long asked) {
    return new LeaseReport(MOST, held, kept, 0, asked, 0);
  }

  private static LeaseReport returning(LeaseGrant held, long back) {
    return new LeaseReport(MOST, held, 0, back, 0, 0);
  }

  private static LeaseReport owing(long owed) {
    return LeaseReport.NONE.withDebt(owed);
  }

  /** Sends a lease report without taking anything. */
  private LeaseGrant report(Pool pool, LeaseReport lease) {
    Draw draw = new Draw(pool, KEY, 0, Mode.SHADOW, Intent.TAKE);
    return calls.take(draw.withLease(lease)).grants().get(0);
  }

  private void endLease(Pool pool, LeaseReport lease) {
    ContractCalls.get(harness.store().endLease(pool, KEY, lease));
  }

  private void sleepUntilNextEpoch() {
    long now = harness.now(Limit.perHour(1));
    long left = LeaseLedger.EPOCH - Math.floorMod(now, LeaseLedger.EPOCH);
    harness.advance(Duration.ofNanos(left * 1000));
  }

  @Test
  void lendsWhatIsAskedForAndTakesItFromTheBucket() {
    Pool pool = pool("1000/day");

    TakeResult taking = calls.take(draw(pool, 5).withLease(asking(40)));

    assertThat(taking.taken()).isTrue();
    assertThat(taking.grants()).hasSize(1);
    assertThat(taking.grants().get(0).lent()).isEqualTo(40);
    assertThat(taking.grants().get(0).kept()).isZero();
    assertThat(taking.grants().get(0).window()).isZero();
    assertThat(taking.grants().get(0).life()).isEqualTo(LeaseLedger.LIFE);
    assertThat(taking.statuses().get(0).remaining()).isEqualTo(955);
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
  void forgetsALeaseAWholeEpochAfterItsOwn() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    report(pool, asking(500));

    sleepUntilNextEpoch();
    assertThat(report(pool, asking(500)).lent()).isEqualTo(18);
    sleepUntilNextEpoch();
    assertThat(report(pool, asking(500)).lent()).isEqualTo(61); // three quarters of 82
  }

  @Test
  void countsARetainedLeaseInItsCurrentEpoch() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    LeaseGrant held = report(pool, asking(60));
    sleepUntilNextEpoch();
    report(pool, keeping(held, 60, 0));
    sleepUntilNextEpoch();

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }

  @Test
  void aReportOnAForgottenLeaseTakesNothingFromOthers() {
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
  void aWindowsLeaseEndsWithIt() {
    for (String limit : List.of("fixed-window 1000/h", "sliding-window 1000/h", "quota 1000/h")) {
      Pool pool = pool(limit, limit);
      calls.take(pool, 1);
      Duration left = calls.look(pool, 0).reset();
      if (limit.startsWith("sliding")) {
        left = left.minus(Duration.ofHours(1));
      }
      harness.advance(left.minusSeconds(2));

      LeaseGrant held = report(pool, asking(60));
      assertThat(held.lent()).as(limit).isEqualTo(60);
      assertThat(held.life()).as(limit).isEqualTo(2_000_000);
      assertThat(report(pool, keeping(held, 30, 0)).kept()).as(limit).isEqualTo(30);
      harness.advance(Duration.ofSeconds(2));
      LeaseGrant next = report(pool, keeping(held, 30, 500));

      assertThat(next.kept()).as(limit).isZero();
      assertThat(next.lent()).as(limit).isEqualTo(75);
      assertThat(next.life()).as(limit).isEqualTo(LeaseLedger.LIFE);
      assertThat(next.window()).as(limit).isGreaterThan(held.window());
    }
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
  void chargesWhatIsOwedBeforeTheDraw() {
    Pool pool = pool("10/day");

    TakeResult refused = calls.take(draw(pool, 5).withLease(owing(6)));

    assertThat(refused.taken()).isFalse();
    assertThat(calls.remaining(pool)).isEqualTo(4);
  }

  @Test
  void chargesABucketAllThatIsOwedAndItDrainsAtTheRate() {
    for (String limit : List.of("10/day", "leaky-bucket 10/day queue=9")) {
      Pool pool = pool(limit, limit);
      calls.take(draw(pool, 0).withLease(owing(8)));
      calls.take(draw(pool, 0).withLease(owing(7)));

      assertThat(calls.look(pool, 1).retryAfter()).as(limit).contains(hours(6 * 24 / 10.0));
      harness.advance(hours(12));
      assertThat(calls.remaining(pool)).as(limit).isZero();
      harness.advance(hours(24));
      assertThat(calls.remaining(pool)).as(limit).isEqualTo(10);
    }
  }

  private static Duration hours(double hours) {
    return Duration.ofSeconds(Math.round(hours * 3600));
  }

  @Test
  void chargesABucketUpToOneBurstBelowEmpty() {
    Pool pool = pool("10/day");
    calls.take(draw(pool, 0).withLease(owing(1L << 50)));

    harness.advance(hours(24));
    assertThat(calls.remaining(pool)).isZero();
    harness.advance(hours(12));
    assertThat(calls.remaining(pool)).isEqualTo(5);
  }

  /** This holds for refused and for lending calls. */
  @Test
  void debtBelowEmptyPersists() {
    Pool pool = pool("10/day");
    Pool other = pool("other", "10/day");
    calls.take(draw(pool, 0).withLease(owing(500)));

    for (int quarter = 0; quarter < 4; quarter++) {
      assertThat(calls.take(draw(pool, 1)).taken()).isFalse();
      assertThat(calls.take(draw(pool, 1), draw(other, 1)).taken()).isFalse();
      assertThat(report(pool, asking(5)).lent()).isZero();
      harness.advance(hours(6));
    }

    assertThat(calls.remaining(pool)).isZero();
    harness.advance(hours(12));
    assertThat(calls.take(draw(pool, 5), draw(other, 1)).taken()).isTrue();
    assertThat(calls.take(draw(pool, 1)).taken()).isFalse();
  }

  @Test
  void aNewBurstClipsWhatABucketWasChargedBelowEmpty() {
    Pool pool = pool("10/day");
    calls.take(draw(pool, 0).withLease(owing(500)));

    Pool smaller = pool("10/day burst=5");
    assertThat(calls.take(draw(smaller, 1)).taken()).isFalse();
    harness.advance(hours(12));
    assertThat(calls.remaining(smaller)).isEqualTo(5);
  }

  @Test
  void aLargerBurstHasRoomForWhatABucketWasChargedBelowEmpty() {
    Pool pool = pool("10/day");
    calls.take(draw(pool, 0).withLease(owing(500)));

    assertThat(calls.remaining(pool("10/day burst=50"))).isEqualTo(30);
  }

  @Test
  void chargesWindowsAtMostTheirRemainder() {
    for (String limit :
        List.of("fixed-window 10/day", "sliding-window 10/day", "sliding-log 10/day")) {
      Pool pool = pool(limit, limit);
      calls.take(draw(pool, 0).withLease(owing(500)));

      assertThat(calls.remaining(pool)).as(limit).isZero();
      harness.advance(Duration.ofDays(2));
      assertThat(calls.remaining(pool)).as(limit).isEqualTo(10);
    }
  }

  @Test
  void lookChangesNoLease() {
    Pool pool = pool("1000/day");
    LeaseGrant held = report(pool, asking(60));

    calls.look(pool, 1);

    assertThat(report(pool, keeping(held, 60, 500)).lent()).isEqualTo(30);
  }

  @Test
  void aClockThatStepsBackForgetsNothingEarly() {
    Pool pool = pool("1000/day");
    report(pool, asking(60));
    harness.step(Duration.ofSeconds(-60));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
  }

  @Test
  void aReportFromBeforeTheClockSteppedBackTakesNothingFromOthers() {
    Pool pool = pool("1000/day");
    sleepUntilNextEpoch();
    LeaseGrant old = report(pool, asking(20));
    harness.step(Duration.ofSeconds(-5));
    calls.take(draw(pool, 1));
    report(pool, asking(20));
    sleepUntilNextEpoch(); // the epoch of the first lease again
    calls.take(draw(pool, 1));
    report(pool, asking(20));

    report(pool, keeping(old, 0, 0));

    assertThat(report(pool, asking(500)).lent()).isEqualTo(30);
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
