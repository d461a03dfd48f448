package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.LeaseLedger;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

class LeaseTest {
  private static final Key KEY = Key.of("somebody");
  private static final long SECOND = 1_000_000;

  private final Pool pool = pool("2000/s");
  private final Lease lease = new Lease(pool, KEY, 0);
  private long now = SECOND;

  private static Pool pool(String limit) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), false).withLeaseCap(1000);
  }

  private static LimitStatus standing(Pool pool, boolean allowed, long remaining) {
    return new LimitStatus.Builder("rule", "rule", pool.meter().limit(), Mode.ENFORCE)
        .allowed(allowed)
        .remaining(remaining)
        .reset(100_000)
        .build();
  }

  private static LeaseGrant grant(long kept, long lent) {
    return new LeaseGrant(kept, lent, 0, 0, LeaseLedger.LIFE);
  }

  /** Lets a crowd of so many go by, and takes a lease. */
  private LeaseRequest lend(long crowd, long lent) {
    LeaseRequest flight = lease.claim(crowd, now);
    assertThat(flight).isNotNull();
    lease.applyAnswer(flight, grant(flight.report.unused(), lent), standing(pool, true, 500));
    return flight;
  }

  @Test
  void handsOutWhatWasLentAndNoMore() {
    lend(100, 3);

    assertThat(lease.take(2, now)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(2, now)).isEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(1, now)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.left(now)).isZero();
  }

  @Test
  void isVoidFiveSecondsAfterItsCallWasSent() {
    long sent = now;
    LeaseRequest flight = lease.claim(100, now);
    now += 8_000;
    lease.applyAnswer(flight, grant(0, 9), standing(pool, true, 500));

    assertThat(lease.take(1, sent + 5 * SECOND - 1)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(1, sent + 5 * SECOND)).isEqualTo(StripedTokens.NOTHING);
    assertThat(lease.left(sent + 5 * SECOND)).isZero();
  }

  @Test
  void tellsWhatItHeldAndKeeps() {
    lend(100, 50);
    lease.take(20, now);
    now += 10_000;

    LeaseRequest flight = lease.claim(0, now);

    assertThat(flight.report.cap()).isEqualTo(1000);
    assertThat(flight.report.held().held()).isEqualTo(50);
    assertThat(flight.report.unused()).isEqualTo(30);
    assertThat(flight.report.returned()).isZero();
  }

  @Test
  void asksForWhatItIsShortOf() {
    lend(100, 50);
    lease.take(50, now);
    now += 50_000; // 1,000 a second, and more before

    long asked = lease.claim(0, now).report.requested();

    assertThat(asked).isBetween(20L, 200L);
  }

  @Test
  void returnsWhatIsInHandWhereTheBucketAloneMayNotHaveEnough() {
    lend(100, 50); // 500 are left there
    lease.take(10, now);

    LeaseReport call = lease.claim(400, now).report;

    assertThat(call.unused()).isZero();
    assertThat(call.returned()).isEqualTo(40);
    assertThat(lease.left(now)).isZero();
  }

  @Test
  void isAsItWasAfterACallThatWasNeverMade() {
    lend(100, 50);
    long receipt = lease.take(10, now);
    lease.restoreUnsent(lease.claim(0, now), standing(pool, false, 0));
    lease.putBack(10, receipt); // too late for what was in hand, but not lost
    LeaseRequest flight = lease.claim(400, now);
    assertThat(flight.report.returned()).isEqualTo(50);

    lease.restoreUnsent(flight, standing(pool, false, 0));

    assertThat(lease.left(now)).isEqualTo(40);
    LeaseReport next = lease.claim(0, now).report;
    assertThat(next).isEqualTo(new LeaseReport(1000, grant(0, 50), 40, 10, next.requested(), 0));
  }

  @Test
  void onlyOneMayTalkToTheStore() {
    LeaseRequest flight = lease.claim(100, now);

    assertThat(lease.claim(100, now)).isNull();
    assertThat(lease.request()).isSameAs(flight);
    lease.applyAnswer(flight, grant(0, 1), standing(pool, true, 500));
    assertThat(lease.request()).isNull();
    assertThat(lease.claim(100, now)).isNotNull();
  }

  @Test
  void hasNothingToSayAboutAKeyThatHardlyComes() {
    assertThat(lease.claim(1, 600 * SECOND)).isNull();
    assertThat(lease.request()).isNull();
  }

  @Test
  void goesOnHandingOutWhileACallIsUnderWay() {
    lend(100, 10);
    LeaseRequest flight = lease.claim(100, now);

    assertThat(lease.take(4, now)).isNotEqualTo(StripedTokens.NOTHING);
    lease.applyAnswer(flight, grant(10, 20), standing(pool, true, 500));

    assertThat(lease.left(now)).isEqualTo(26);
  }

  @Test
  void dropsWhatItMayNotKeepAndReturnsIt() {
    lend(100, 10);
    LeaseRequest flight = lease.claim(100, now);
    lease.take(4, now);

    lease.applyAnswer(flight, grant(7, 5), standing(pool, true, 500));

    assertThat(lease.left(now)).isEqualTo(3 + 5);
    assertThat(lease.claim(100, now).report.returned()).isEqualTo(3);
  }

  @Test
  void takesBackWhatWasHandedOutInTheSameTerm() {
    lend(100, 10);
    long receipt = lease.take(4, now);

    lease.putBack(4, receipt);

    assertThat(lease.left(now)).isEqualTo(10);
  }

  @Test
  void returnsToTheBucketWhatIsPutBackAfterItWasReportedAsUsed() {
    lend(100, 10);
    long receipt = lease.take(4, now);
    lend(100, 0);

    lease.putBack(4, receipt);

    assertThat(lease.left(now)).isEqualTo(6);
    now += SECOND;
    assertThat(lease.claim(100, now).report.returned()).isEqualTo(4);
  }

  /** Takes from a lease on a window, and puts back after a call that was answered in another. */
  private LeaseReport afterPuttingBackLate(long window, long later, long kept) {
    Lease windows = new Lease(pool("fixed-window 2000/s"), KEY, 0);
    LeaseRequest first = windows.claim(100, now);
    windows.applyAnswer(first, new LeaseGrant(0, 10, 0, window, SECOND), standing(pool, true, 500));
    long receipt = windows.take(4, now);
    LeaseRequest second = windows.claim(100, now);
    windows.applyAnswer(
        second, new LeaseGrant(kept, 1, 0, later, SECOND), standing(pool, true, 500));

    windows.putBack(4, receipt);

    assertThat(windows.left(now)).isEqualTo(kept + 1);
    return windows.claim(100, now).report;
  }

  @Test
  void returnsAWindowsTokensThatArePutBackLateWhileItLasts() {
    LeaseReport call = afterPuttingBackLate(77, 77, 6);

    assertThat(call.returned()).isEqualTo(4);
    assertThat(call.held().window()).isEqualTo(77);
  }

  @Test
  void letsGoOfAWindowsTokensOnceItIsOver() {
    assertThat(afterPuttingBackLate(77, 78, 0).returned()).isZero();
  }

  @Test
  void returnsWhatItMayNotKeepToTheSameWindowOnly() {
    for (long later : new long[] {77, 78}) {
      Lease windows = new Lease(pool("fixed-window 2000/s"), KEY, 0);
      LeaseRequest first = windows.claim(100, now);
      windows.applyAnswer(first, new LeaseGrant(0, 10, 0, 77, SECOND), standing(pool, true, 500));
      LeaseRequest second = windows.claim(100, now);
      windows.applyAnswer(
          second, new LeaseGrant(0, 1, 0, later, SECOND), standing(pool, true, 500));

      assertThat(windows.left(now)).isEqualTo(1);
      assertThat(windows.claim(100, now).report.returned()).isEqualTo(later == 77 ? 10 : 0);
    }
  }

  @Test
  void saysNothingOfThePastAfterACallThatNobodyHeard() {
    lend(100, 10);
    LeaseRequest lost = lease.claim(100, now);
    lease.markLost(lost, standing(pool, false, 0));

    assertThat(lease.take(4, now)).isNotEqualTo(StripedTokens.NOTHING);
    LeaseReport next = lease.claim(100, now).report;

    assertThat(next.held().held()).isZero();
    assertThat(next.unused()).isEqualTo(6);
  }

  @Test
  void whoeverWaitsHearsWhatCameOfTheCall() {
    LeaseRequest flight = lease.claim(100, now);
    LimitStatus heard = standing(pool, false, 0);

    lease.applyAnswer(flight, LeaseGrant.NONE, heard);

    assertThat(flight.done).isCompletedWithValue(heard);
    assertThat(flight.mayCover(flight.report.requested())).isTrue();
    assertThat(flight.mayCover(flight.report.requested() + 1)).isFalse();
  }

  @Test
  void isLowBeforeItIsEmpty() {
    lend(2000, 400); // 2,000 a second
    assertThat(lease.isLow(400, now)).isFalse();

    long receipt = lease.take(390, now);

    assertThat(lease.leftAfter(receipt)).isEqualTo(10);
    assertThat(lease.isLow(10, now)).isTrue();
    lease.claim(0, now);
    assertThat(lease.isLow(10, now)).isFalse();
  }

  @Test
  void leavesADrainedBucketAlone() {
    LeaseRequest flight = lease.claim(100, now);
    lease.applyAnswer(flight, grant(0, 5), standing(pool, true, 0));
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);

    LimitStatus drained = lease.drainedStatus(draw, now);

    assertThat(drained.allowed()).isFalse();
    assertThat(drained.retryAfterMicros()).isBetween(40_000L, 60_000L);
    assertThat(lease.claim(1, now)).isNull();
    assertThat(lease.drainedStatus(draw, now + 60_000)).isNull();
    assertThat(lease.claim(1, now + 60_000)).isNotNull();
  }

  @Test
  void asksForNoLeaseForAWhileWhenOthersHaveItAll() {
    LeaseRequest flight = lease.claim(100, now);
    lease.applyAnswer(flight, grant(0, 0), standing(pool, true, 900));
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);

    assertThat(lease.claim(1, now + LeaseBackoff.PAUSE - 1)).isNull();
    assertThat(lease.claim(1, now + LeaseBackoff.PAUSE)).isNotNull();
    assertThat(lease.drainedStatus(draw, now)).isNull();
  }

  @Test
  void aStandingFollowsWhatComesBack() {
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);
    LeaseRequest flight = lease.claim(100, now);
    lease.applyAnswer(flight, grant(0, 100), standing(pool, true, 1800)); // full in 100 ms

    LimitStatus standing = lease.status(draw, lease.left(now), now + 50_000);

    assertThat(standing.allowed()).isTrue();
    assertThat(standing.source()).isEqualTo(DecisionSource.LEASE);
    assertThat(standing.remaining()).isEqualTo(2000);
    assertThat(standing.resetMicros()).isEqualTo(50_000);
    lease.take(100, now);
    assertThat(lease.status(draw, lease.left(now), now + 50_000).remaining()).isEqualTo(1900);
  }

  @Test
  void asksForNoMoreUntilAnAnswerIsHeard() {
    lease.markLost(lease.claim(100, now), standing(pool, false, 0));
    LeaseRequest second = lease.claim(100, now + 2000);
    assertThat(second.report.requested()).isZero();
    lease.applyAnswer(second, grant(0, 0), standing(pool, true, 500));

    assertThat(lease.claim(100, now + 4000).report.requested()).isPositive();
  }
}
