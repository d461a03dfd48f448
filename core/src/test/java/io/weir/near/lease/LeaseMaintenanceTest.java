package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.LeaseLedger;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

/** Maintenance of leases: renewal, return and removal. */
class LeaseMaintenanceTest {
  private static final long SECOND = 1_000_000;

  private final Pool pool =
      new Pool("rule", "rule", "1", Limit.parse("2000/s"), false).withLeaseCap(1000);
  private final Lease lease = new Lease(pool, Key.of("somebody"), 0);
  private long now = SECOND;

  private LimitStatus status() {
    return new LimitStatus.Builder("rule", "rule", pool.meter().limit(), Mode.ENFORCE)
        .allowed(true)
        .remaining(500)
        .reset(100_000)
        .build();
  }

  private static LeaseGrant grant(long kept, long lent) {
    return new LeaseGrant(kept, lent, 0, 0, LeaseLedger.LIFE);
  }

  /** Makes a demand of this many calls, and leases tokens. */
  private void lend(long crowd, long lent) {
    LeaseRequest request = lease.claim(crowd, now);
    assertThat(request).isNotNull();
    lease.applyAnswer(request, grant(request.report.unused(), lent), status());
  }

  private Lease.Maintenance maintenanceAt(long now) {
    return lease.maintenance(now, false);
  }

  @Test
  void idleLeaseIsEnded() {
    lend(100, 10);
    maintenanceAt(now);

    assertThat(maintenanceAt(now + SECOND / 2)).isEqualTo(Lease.Maintenance.NONE);
    assertThat(maintenanceAt(now + SECOND)).isEqualTo(Lease.Maintenance.END);
    assertThat(lease.end(false, now)).isEqualTo(new LeaseReport(1000, grant(0, 10), 0, 10, 0, 0));
    assertThat(lease.left(now)).isZero();
    assertThat(lease.end(false, now)).isNull();
  }

  @Test
  void leaseInUseIsRenewedBeforeExpiry() {
    lend(2000, 1000);
    for (int i = 1; i <= 40; i++) {
      lease.take(1, now);
      now += SECOND / 10;
      assertThat(maintenanceAt(now)).isEqualTo(Lease.Maintenance.NONE);
    }
    lease.take(1, now);

    assertThat(maintenanceAt(now + SECOND / 10)).isEqualTo(Lease.Maintenance.RENEW);
  }

  @Test
  void leaseOfSlowKeyMayBeIdleForLonger() {
    for (int i = 0; i < 10 && lease.claim(1, now) == null; i++) {
      now += SECOND;
    }
    lease.applyAnswer(lease.request(), grant(0, 3), status());
    maintenanceAt(now);

    assertThat(maintenanceAt(now + 2 * SECOND)).isEqualTo(Lease.Maintenance.NONE);
    assertThat(maintenanceAt(now + 4 * SECOND)).isEqualTo(Lease.Maintenance.END);
  }

  @Test
  void expiredLeaseIsEnded() {
    lend(100, 10);
    lease.take(1, now);
    maintenanceAt(now + 5 * SECOND - 1);

    assertThat(maintenanceAt(now + 5 * SECOND)).isEqualTo(Lease.Maintenance.END);
  }

  @Test
  void expiredGrantIsNotReported() {
    lend(100, 10);
    now += 5 * SECOND;

    LeaseReport last = lease.end(false, now);

    assertThat(last.returned()).isEqualTo(10);
    assertThat(last.held().tokens()).isZero();
  }

  @Test
  void usedUpLargeLeaseIsReported() {
    lend(1000, 500);
    lease.take(500, now);
    maintenanceAt(now);

    assertThat(maintenanceAt(now + SECOND)).isEqualTo(Lease.Maintenance.END);
    assertThat(lease.end(false, now)).isEqualTo(new LeaseReport(1000, grant(0, 500), 0, 0, 0, 0));
  }

  @Test
  void emptyLeaseIsForgotten() {
    maintenanceAt(now);

    assertThat(maintenanceAt(now + 9 * SECOND)).isEqualTo(Lease.Maintenance.NONE);
    assertThat(maintenanceAt(now + 10 * SECOND)).isEqualTo(Lease.Maintenance.FORGET);
    assertThat(lease.retire()).isTrue();
    assertThat(lease.claim(100, now + 10 * SECOND)).isNull();
  }

  @Test
  void emptyLeaseIsForgottenSoonerInFullTable() {
    lease.maintenance(now, true);

    assertThat(lease.maintenance(now + SECOND - 1, true)).isEqualTo(Lease.Maintenance.NONE);
    assertThat(lease.maintenance(now + SECOND, true)).isEqualTo(Lease.Maintenance.FORGET);
  }

  @Test
  void retiredLeaseIsNeverClaimed() {
    lend(100, 10);
    lease.end(true, now);

    assertThat(lease.claim(100, now + SECOND)).isNull();
  }

  @Test
  void maintenanceDoesNotReviveRetiredLease() {
    lend(100, 10);
    lease.end(true, now);

    assertThat(lease.end(false, now)).isNull();
    assertThat(lease.isRetired()).isTrue();
  }

  @Test
  void leaseWithRequestInFlightIsNotEnded() {
    lend(100, 10);
    lease.claim(100, now);

    assertThat(lease.end(false, now)).isNull();
    assertThat(lease.retire()).isFalse();
    assertThat(lease.left(now)).isEqualTo(10);
  }

  @Test
  void tokensPutBackAfterRetirementAreReturned() {
    lend(100, 10);
    long receipt = lease.take(10, now);
    assertThat(lease.lateReport()).isNull();
    assertThat(lease.retire()).isTrue();

    lease.putBack(4, receipt);

    assertThat(lease.lateReport()).isEqualTo(new LeaseReport(1000, LeaseGrant.NONE, 0, 4, 0, 0));
    assertThat(lease.lateReport()).isNull();
  }
}
