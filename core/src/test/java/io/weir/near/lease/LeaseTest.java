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

  private static LimitStatus status(Pool pool, boolean allowed, long remaining) {
    return new LimitStatus.Builder("rule", "rule", pool.meter().limit(), Mode.ENFORCE)
        .allowed(allowed)
        .remaining(remaining)
        .reset(100_000)
        .build();
  }

  private static LeaseGrant grant(long kept, long lent) {
    return new LeaseGrant(kept, lent, 0, 0, LeaseLedger.LIFE);
  }

  /** Makes a demand of this many calls, and leases tokens. */
  private LeaseRequest lend(long crowd, long lent) {
    LeaseRequest request = lease.claim(crowd, now);
    assertThat(request).isNotNull();
    lease.applyAnswer(request, grant(request.report.unused(), lent), status(pool, true, 500));
    return request;
  }

  @Test
  void handsOutLentTokensOnly() {
    lend(100, 3);

    assertThat(lease.take(2, now)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(2, now)).isEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(1, now)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.left(now)).isZero();
  }

  @Test
  void expiresFiveSecondsAfterRequestWasSent() {
    long sent = now;
    LeaseRequest request = lease.claim(100, now);
    now += 8_000;
    lease.applyAnswer(request, grant(0, 9), status(pool, true, 500));

    assertThat(lease.take(1, sent + 5 * SECOND - 1)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(lease.take(1, sent + 5 * SECOND)).isEqualTo(StripedTokens.NOTHING);
    assertThat(lease.left(sent + 5 * SECOND)).isZero();
  }

  @Test
  void reportsHeldAndUnusedTokens() {
    lend(100, 50);
    lease.take(20, now);
    now += 10_000;

    LeaseRequest request = lease.claim(0, now);

    assertThat(request.report.cap()).isEqualTo(1000);
    assertThat(request.report.held().tokens()).isEqualTo(50);
    assertThat(request.report.unused()).isEqualTo(30);
    assertThat(request.report.returned()).isZero();
  }

  @Test
  void requestsMissingTokens() {
    lend(100, 50);
    lease.take(50, now);
    now += 50_000; // 1,000 a second, and more before

    long requested = lease.claim(0, now).report.requested();

    assertThat(requested).isBetween(20L, 200L);
  }

  @Test
  void returnsTokensIfBucketAloneMayNotCoverDraw() {
    lend(100, 50); // 500 remain in the store
    lease.take(10, now);

    LeaseReport call = lease.claim(400, now).report;

    assertThat(call.unused()).isZero();
    assertThat(call.returned()).isEqualTo(40);
    assertThat(lease.left(now)).isZero();
  }

  @Test
  void unsentRequestIsUndone() {
    lend(100, 50);
    long receipt = lease.take(10, now);
    lease.restoreUnsent(lease.claim(0, now), status(pool, false, 0));
    lease.putBack(10, receipt); // late: not handed out again, but not lost
    LeaseRequest request = lease.claim(400, now);
    assertThat(request.report.returned()).isEqualTo(50);

    lease.restoreUnsent(request, status(pool, false, 0));

    assertThat(lease.left(now)).isEqualTo(40);
    LeaseReport next = lease.claim(0, now).report;
    assertThat(next).isEqualTo(new LeaseReport(1000, grant(0, 50), 40, 10, next.requested(), 0));
  }

  @Test
  void onlyOneRequestIsInFlight() {
    LeaseRequest request = lease.claim(100, now);

    assertThat(lease.claim(100, now)).isNull();
    assertThat(lease.request()).isSameAs(request);
    lease.applyAnswer(request, grant(0, 1), status(pool, true, 500));
    assertThat(lease.request()).isNull();
    assertThat(lease.claim(100, now)).isNotNull();
  }

  @Test
  void rareKeyMakesNoRequest() {
    assertThat(lease.claim(1, 600 * SECOND)).isNull();
    assertThat(lease.request()).isNull();
  }

  @Test
  void handsOutWhileRequestIsInFlight() {
    lend(100, 10);
    LeaseRequest request = lease.claim(100, now);

    assertThat(lease.take(4, now)).isNotEqualTo(StripedTokens.NOTHING);
    lease.applyAnswer(request, grant(10, 20), status(pool, true, 500));

    assertThat(lease.left(now)).isEqualTo(26);
  }

  @Test
  void returnsTokensItMayNotKeep() {
    lend(100, 10);
    LeaseRequest request = lease.claim(100, now);
    lease.take(4, now);

    lease.applyAnswer(request, grant(7, 5), status(pool, true, 500));

    assertThat(lease.left(now)).isEqualTo(3 + 5);
    assertThat(lease.claim(100, now).report.returned()).isEqualTo(3);
  }

  @Test
  void tokensPutBackInSameTermAreHandedOutAgain() {
    lend(100, 10);
    long receipt = lease.take(4, now);

    lease.putBack(4, receipt);

    assertThat(lease.left(now)).isEqualTo(10);
  }

  @Test
  void tokensPutBackAfterReportGoBackToBucket() {
    lend(100, 10);
    long receipt = lease.take(4, now);
    lend(100, 0);

    lease.putBack(4, receipt);

    assertThat(lease.left(now)).isEqualTo(6);
    now += SECOND;
    assertThat(lease.claim(100, now).report.returned()).isEqualTo(4);
  }

  /** Takes from a lease on a window, and puts back after an answer for another window. */
  private LeaseReport afterPuttingBackLate(long window, long later, long kept) {
    Lease windows = new Lease(pool("fixed-window 2000/s"), KEY, 0);
    LeaseRequest first = windows.claim(100, now);
    windows.applyAnswer(first, new LeaseGrant(0, 10, 0, window, SECOND), status(pool, true, 500));
    long receipt = windows.take(4, now);
    LeaseRequest second = windows.claim(100, now);
    windows.applyAnswer(second, new LeaseGrant(kept, 1, 0, later, SECOND), status(pool, true, 500));

    windows.putBack(4, receipt);

    assertThat(windows.left(now)).isEqualTo(kept + 1);
    return windows.claim(100, now).report;
  }

  @Test
  void lateTokensOfCurrentWindowAreReturned() {
    LeaseReport call = afterPuttingBackLate(77, 77, 6);

    assertThat(call.returned()).isEqualTo(4);
    assertThat(call.held().window()).isEqualTo(77);
  }

  @Test
  void lateTokensOfEndedWindowAreDropped() {
    assertThat(afterPuttingBackLate(77, 78, 0).returned()).isZero();
  }

  @Test
  void tokensNotKeptAreReturnedToSameWindowOnly() {
    for (long later : new long[] {77, 78}) {
      Lease windows = new Lease(pool("fixed-window 2000/s"), KEY, 0);
      LeaseRequest first = windows.claim(100, now);
      windows.applyAnswer(first, new LeaseGrant(0, 10, 0, 77, SECOND), status(pool, true, 500));
      LeaseRequest second = windows.claim(100, now);
      windows.applyAnswer(second, new LeaseGrant(0, 1, 0, later, SECOND), status(pool, true, 500));

      assertThat(windows.left(now)).isEqualTo(1);
      assertThat(windows.claim(100, now).report.returned()).isEqualTo(later == 77 ? 10 : 0);
    }
  }

  @Test
  void lostAnswerForgetsGrant() {
    lend(100, 10);
    LeaseRequest lost = lease.claim(100, now);
    lease.markLost(lost, status(pool, false, 0));

    assertThat(lease.take(4, now)).isNotEqualTo(StripedTokens.NOTHING);
    LeaseReport next = lease.claim(100, now).report;

    assertThat(next.held().tokens()).isZero();
    assertThat(next.unused()).isEqualTo(6);
  }

  @Test
  void waitingCallGetsResultOfRequest() {
    LeaseRequest request = lease.claim(100, now);
    LimitStatus answer = status(pool, false, 0);

    lease.applyAnswer(request, LeaseGrant.NONE, answer);

    assertThat(request.done).isCompletedWithValue(answer);
    assertThat(request.mayCover(request.report.requested())).isTrue();
    assertThat(request.mayCover(request.report.requested() + 1)).isFalse();
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
  void drainedBucketStartsBackoff() {
    LeaseRequest request = lease.claim(100, now);
    lease.applyAnswer(request, grant(0, 5), status(pool, true, 0));
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);

    LimitStatus drained = lease.drainedStatus(draw, now);

    assertThat(drained.allowed()).isFalse();
    assertThat(drained.retryAfterMicros()).isBetween(40_000L, 60_000L);
    assertThat(lease.claim(1, now)).isNull();
    assertThat(lease.drainedStatus(draw, now + 60_000)).isNull();
    assertThat(lease.claim(1, now + 60_000)).isNotNull();
  }

  @Test
  void emptyGrantStartsBackoff() {
    LeaseRequest request = lease.claim(100, now);
    lease.applyAnswer(request, grant(0, 0), status(pool, true, 900));
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);

    assertThat(lease.claim(1, now + LeaseBackoff.PAUSE - 1)).isNull();
    assertThat(lease.claim(1, now + LeaseBackoff.PAUSE)).isNotNull();
    assertThat(lease.drainedStatus(draw, now)).isNull();
  }

  @Test
  void statusFollowsRefill() {
    Draw draw = new Draw(pool, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE);
    LeaseRequest request = lease.claim(100, now);
    lease.applyAnswer(request, grant(0, 100), status(pool, true, 1800)); // full in 100 ms

    LimitStatus status = lease.status(draw, lease.left(now), now + 50_000);

    assertThat(status.allowed()).isTrue();
    assertThat(status.source()).isEqualTo(DecisionSource.LEASE);
    assertThat(status.remaining()).isEqualTo(2000);
    assertThat(status.resetMicros()).isEqualTo(50_000);
    lease.take(100, now);
    assertThat(lease.status(draw, lease.left(now), now + 50_000).remaining()).isEqualTo(1900);
  }

  @Test
  void requestsNoTokensAfterLostAnswer() {
    lease.markLost(lease.claim(100, now), status(pool, false, 0));
    LeaseRequest second = lease.claim(100, now + 2000);
    assertThat(second.report.requested()).isZero();
    lease.applyAnswer(second, grant(0, 0), status(pool, true, 500));

    assertThat(lease.claim(100, now + 4000).report.requested()).isPositive();
  }
}
