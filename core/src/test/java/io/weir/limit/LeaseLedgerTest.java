package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseLedgerTest {
  private static final long CAP = 100;
  private static final long PLENTY = 1_000_000;

  private final LeaseLedger ledger = new LeaseLedger();

  @BeforeEach
  void openFirstEpoch() {
    at(7);
  }

  private void at(long epoch) {
    ledger.open(epoch * LeaseLedger.EPOCH + 17, false);
  }

  private long lend(long requested) {
    return ledger.lend(requested, CAP, PLENTY);
  }

  @Test
  void grantsThreeQuartersOfTheFreeTokens() {
    assertThat(lend(1000)).isEqualTo(75);
    assertThat(lend(1000)).isEqualTo(18);
    assertThat(lend(1000)).isEqualTo(5);
    assertThat(lend(1000)).isEqualTo(1);
    assertThat(lend(1000)).isZero();
    assertThat(ledger.outstanding()).isEqualTo(99);
  }

  @Test
  void grantsNoMoreThanRequested() {
    assertThat(lend(12)).isEqualTo(12);
    assertThat(lend(0)).isZero();
  }

  @Test
  void grantsNoMoreThanTheBucketHolds() {
    assertThat(ledger.lend(50, CAP, 7)).isEqualTo(7);
    assertThat(ledger.lend(50, CAP, 0)).isZero();
    assertThat(ledger.lend(50, CAP, -3)).isZero();
    assertThat(ledger.outstanding()).isEqualTo(7);
  }

  @Test
  void tokensHandedOutCanBeLeasedAgain() {
    long lent = lend(60);

    assertThat(ledger.report(lent, 7, 10, CAP)).isEqualTo(10);

    assertThat(ledger.outstanding()).isEqualTo(10);
    assertThat(ledger.current).isEqualTo(10);
  }

  @Test
  void keptTokensAreCountedInTheCurrentEpoch() {
    lend(60);
    at(8);
    assertThat(ledger.previous).isEqualTo(60);

    ledger.report(60, 7, 25, CAP);

    assertThat(ledger.previous).isZero();
    assertThat(ledger.current).isEqualTo(25);
  }

  @Test
  void dropsALeaseAWholeEpochLater() {
    lend(60);
    at(8);
    assertThat(ledger.outstanding()).isEqualTo(60);
    at(9);
    assertThat(ledger.outstanding()).isZero();
  }

  @Test
  void dropsEverythingAfterALongIdleTime() {
    lend(60);
    at(400);

    assertThat(ledger.outstanding()).isZero();
  }

  @Test
  void reportOnADroppedLeaseSubtractsNothing() {
    lend(60);
    at(9);
    long others = lend(30);

    ledger.report(60, 7, 0, CAP);

    assertThat(ledger.outstanding()).isEqualTo(others);
  }

  @Test
  void droppedLeaseIsKeptOnlyWithinTheCap() {
    lend(60);
    at(9);
    assertThat(lend(1000)).isEqualTo(75);

    assertThat(ledger.report(60, 7, 60, CAP)).isEqualTo(25);
    assertThat(ledger.outstanding()).isEqualTo(CAP);
  }

  @Test
  void keepsALeaseWhoseLastReportWasLost() {
    assertThat(ledger.report(0, -1, 40, CAP)).isEqualTo(40);
    assertThat(ledger.outstanding()).isEqualTo(40);
  }

  @Test
  void reportOfTooMuchLeavesNoNegativeCount() {
    lend(10);

    ledger.report(500, 7, 0, CAP);

    assertThat(ledger.outstanding()).isZero();
  }

  @Test
  void leasesExpireWithTheirWindow() {
    lend(60);
    ledger.open(7 * LeaseLedger.EPOCH + 18, true);

    assertThat(ledger.outstanding()).isZero();
  }

  @Test
  void clockStepBackDropsNothingEarly() {
    lend(20);
    at(8);
    lend(20);

    at(3);
    assertThat(ledger.outstanding()).isEqualTo(40);
    at(4);
    assertThat(ledger.outstanding()).isEqualTo(40);
    at(5);
    assertThat(ledger.outstanding()).isZero();
  }

  @Test
  void repeatedEpochAfterAClockStepIsADifferentOne() {
    lend(20);
    at(6);
    lend(30);
    at(7);
    lend(10);

    ledger.report(20, 7, 0, CAP);

    assertThat(ledger.outstanding()).isEqualTo(60);
    at(8);
    assertThat(ledger.outstanding()).isEqualTo(10);
  }

  @Test
  void loweredCapGrantsNothingUntilEnoughIsReturned() {
    lend(60);

    assertThat(ledger.lend(10, 50, PLENTY)).isZero();
    assertThat(ledger.report(60, 7, 60, 50)).isEqualTo(50);
  }
}
