package io.weir.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Standing;
import io.weir.limit.Loans;
import io.weir.store.Grant;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

/** Leases that are looked after: renewed, ended and forgotten. */
class LeaseCareTest {
  private static final long SECOND = 1_000_000;

  private final Pool pool =
      new Pool("rule", "rule", "1", Limit.parse("2000/s"), false).lending(1000);
  private final Lease lease = new Lease(pool, Key.of("somebody"), 0);
  private long now = SECOND;

  private Standing standing() {
    return new Standing.Builder("rule", "rule", pool.meter().limit(), Mode.ENFORCE)
        .allowed(true)
        .remaining(500)
        .reset(100_000)
        .build();
  }

  private static Grant grant(long kept, long lent) {
    return new Grant(kept, lent, 0, 0, Loans.LIFE);
  }

  /** Lets a crowd of so many go by, and takes a lease. */
  private void lend(long crowd, long lent) {
    Flight flight = lease.claim(crowd, now);
    assertThat(flight).isNotNull();
    lease.settle(flight, grant(flight.call.kept(), lent), standing());
  }

  private Lease.Care care(long now) {
    return lease.care(now, false);
  }

  @Test
  void anIdleLeaseIsEnded() {
    lend(100, 10);
    care(now);

    assertThat(care(now + SECOND / 2)).isEqualTo(Lease.Care.NONE);
    assertThat(care(now + SECOND)).isEqualTo(Lease.Care.END);
    assertThat(lease.end(false, now)).isEqualTo(new LeaseCall(1000, grant(0, 10), 0, 10, 0, 0));
    assertThat(lease.left(now)).isZero();
    assertThat(lease.end(false, now)).isNull();
  }

  @Test
  void aLeaseInUseIsRenewedInTime() {
    lend(2000, 1000);
    for (int i = 1; i <= 40; i++) {
      lease.take(1, now);
      now += SECOND / 10;
      assertThat(care(now)).isEqualTo(Lease.Care.NONE);
    }
    lease.take(1, now);

    assertThat(care(now + SECOND / 10)).isEqualTo(Lease.Care.RENEW);
  }

  @Test
  void aSlowKeysLeaseMayLieAboutForLonger() {
    for (int i = 0; i < 10 && lease.claim(1, now) == null; i++) {
      now += SECOND;
    }
    lease.settle(lease.flight(), grant(0, 3), standing());
    care(now);

    assertThat(care(now + 2 * SECOND)).isEqualTo(Lease.Care.NONE);
    assertThat(care(now + 4 * SECOND)).isEqualTo(Lease.Care.END);
  }

  @Test
  void whatIsVoidIsEnded() {
    lend(100, 10);
    lease.take(1, now);
    care(now + 5 * SECOND - 1);

    assertThat(care(now + 5 * SECOND)).isEqualTo(Lease.Care.END);
  }

  @Test
  void whatIsVoidIsNotSpokenOf() {
    lend(100, 10);
    now += 5 * SECOND;

    LeaseCall last = lease.end(false, now);

    assertThat(last.back()).isEqualTo(10);
    assertThat(last.held().held()).isZero();
  }

  @Test
  void aLargeLeaseThatWasUsedUpIsReported() {
    lend(1000, 500);
    lease.take(500, now);
    care(now);

    assertThat(care(now + SECOND)).isEqualTo(Lease.Care.END);
    assertThat(lease.end(false, now)).isEqualTo(new LeaseCall(1000, grant(0, 500), 0, 0, 0, 0));
  }

  @Test
  void anEmptyLeaseIsForgottenInTheEnd() {
    care(now);

    assertThat(care(now + 9 * SECOND)).isEqualTo(Lease.Care.NONE);
    assertThat(care(now + 10 * SECOND)).isEqualTo(Lease.Care.FORGET);
    assertThat(lease.retire()).isTrue();
    assertThat(lease.claim(100, now + 10 * SECOND)).isNull();
  }

  @Test
  void anEmptyLeaseIsForgottenSoonWhereOthersWaitForItsPlace() {
    lease.care(now, true);

    assertThat(lease.care(now + SECOND - 1, true)).isEqualTo(Lease.Care.NONE);
    assertThat(lease.care(now + SECOND, true)).isEqualTo(Lease.Care.FORGET);
  }

  @Test
  void aLeaseThatHasEndedForGoodIsNeverTakenAgain() {
    lend(100, 10);
    lease.end(true, now);

    assertThat(lease.claim(100, now + SECOND)).isNull();
  }

  @Test
  void aLeaseThatHasEndedForGoodIsNotRevivedByWhoeverLooksAfterIt() {
    lend(100, 10);
    lease.end(true, now);

    assertThat(lease.end(false, now)).isNull();
    assertThat(lease.isRetired()).isTrue();
  }

  @Test
  void aLeaseThatIsTalkedAboutIsNotTouched() {
    lend(100, 10);
    lease.claim(100, now);

    assertThat(lease.end(false, now)).isNull();
    assertThat(lease.retire()).isFalse();
    assertThat(lease.left(now)).isEqualTo(10);
  }

  @Test
  void whatIsPutBackAfterALeaseWasForgottenIsNotLost() {
    lend(100, 10);
    long receipt = lease.take(10, now);
    assertThat(lease.late()).isNull();
    assertThat(lease.retire()).isTrue();

    lease.putBack(4, receipt);

    assertThat(lease.late()).isEqualTo(new LeaseCall(1000, Grant.NONE, 0, 4, 0, 0));
    assertThat(lease.late()).isNull();
  }
}
