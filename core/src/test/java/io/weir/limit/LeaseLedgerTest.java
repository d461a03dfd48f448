package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseLedgerTest {
  private static final long MOST = 100;
  private static final long PLENTY = 1_000_000;

  private final LeaseLedger loans = new LeaseLedger();

  @BeforeEach
  void begin() {
    at(7);
  }

  private void at(long epoch) {
    loans.open(epoch * LeaseLedger.EPOCH + 17, false);
  }

  private long lend(long asked) {
    return loans.lend(asked, MOST, PLENTY);
  }

  @Test
  void lendsUpToThreeQuartersOfWhatMayStillGoOut() {
    assertThat(lend(1000)).isEqualTo(75);
    assertThat(lend(1000)).isEqualTo(18);
    assertThat(lend(1000)).isEqualTo(5);
    assertThat(lend(1000)).isEqualTo(1);
    assertThat(lend(1000)).isZero();
    assertThat(loans.outstanding()).isEqualTo(99);
  }

  @Test
  void lendsNoMoreThanWasAskedFor() {
    assertThat(lend(12)).isEqualTo(12);
    assertThat(lend(0)).isZero();
  }

  @Test
  void lendsNoMoreThanTheBucketHolds() {
    assertThat(loans.lend(50, MOST, 7)).isEqualTo(7);
    assertThat(loans.lend(50, MOST, 0)).isZero();
    assertThat(loans.lend(50, MOST, -3)).isZero();
    assertThat(loans.outstanding()).isEqualTo(7);
  }

  @Test
  void whatWasHandedOutMayBeLentAgain() {
    long lent = lend(60);

    assertThat(loans.report(lent, 7, 10, MOST)).isEqualTo(10);

    assertThat(loans.outstanding()).isEqualTo(10);
    assertThat(loans.current).isEqualTo(10);
  }

  @Test
  void whatIsKeptIsCountedInThePresentEpoch() {
    lend(60);
    at(8);
    assertThat(loans.previous).isEqualTo(60);

    loans.report(60, 7, 25, MOST);

    assertThat(loans.previous).isZero();
    assertThat(loans.current).isEqualTo(25);
  }

  @Test
  void forgetsALeaseAWholeEpochLater() {
    lend(60);
    at(8);
    assertThat(loans.outstanding()).isEqualTo(60);
    at(9);
    assertThat(loans.outstanding()).isZero();
  }

  @Test
  void forgetsEverythingAfterALongSilence() {
    lend(60);
    at(400);

    assertThat(loans.outstanding()).isZero();
  }

  @Test
  void aReportOnWhatWasForgottenTakesNothingFromOthers() {
    lend(60);
    at(9);
    long others = lend(30);

    loans.report(60, 7, 0, MOST);

    assertThat(loans.outstanding()).isEqualTo(others);
  }

  @Test
  void aForgottenLeaseMayBeKeptOnlyAsFarAsThereIsRoom() {
    lend(60);
    at(9);
    assertThat(lend(1000)).isEqualTo(75);

    assertThat(loans.report(60, 7, 60, MOST)).isEqualTo(25);
    assertThat(loans.outstanding()).isEqualTo(MOST);
  }

  @Test
  void keepsOneWhoseLastCallNobodyHeardOf() {
    assertThat(loans.report(0, -1, 40, MOST)).isEqualTo(40);
    assertThat(loans.outstanding()).isEqualTo(40);
  }

  @Test
  void aReportOfMoreThanIsCountedLeavesNothingNegative() {
    lend(10);

    loans.report(500, 7, 0, MOST);

    assertThat(loans.outstanding()).isZero();
  }

  @Test
  void leasesDieWithTheirWindow() {
    lend(60);
    loans.open(7 * LeaseLedger.EPOCH + 18, true);

    assertThat(loans.outstanding()).isZero();
  }

  @Test
  void aClockThatStepsBackForgetsNothingEarly() {
    lend(20);
    at(8);
    lend(20);

    at(3);
    assertThat(loans.outstanding()).isEqualTo(40);
    at(4);
    assertThat(loans.outstanding()).isEqualTo(40);
    at(5);
    assertThat(loans.outstanding()).isZero();
  }

  @Test
  void anEpochThatComesAgainIsAnotherOne() {
    lend(20);
    at(6);
    lend(30);
    at(7);
    lend(10);

    loans.report(20, 7, 0, MOST);

    assertThat(loans.outstanding()).isEqualTo(60);
    at(8);
    assertThat(loans.outstanding()).isEqualTo(10);
  }

  @Test
  void aLowerBoundLendsNothingUntilEnoughHasComeBack() {
    lend(60);

    assertThat(loans.lend(10, 50, PLENTY)).isZero();
    assertThat(loans.report(60, 7, 60, 50)).isEqualTo(50);
  }
}
