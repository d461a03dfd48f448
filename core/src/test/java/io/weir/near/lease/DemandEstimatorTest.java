package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class DemandEstimatorTest {
  private static final long SECOND = 1_000_000;
  private final DemandEstimator demand = new DemandEstimator(0);
  private long now;

  private void steady(long tokens, long everyMicros, int times) {
    for (int i = 0; i < times; i++) {
      now += everyMicros;
      demand.add(tokens, now);
    }
  }

  @Test
  void rareKeyHasNoTarget() {
    steady(1, 60 * SECOND, 20);

    assertThat(demand.target()).isZero();
  }

  @Test
  void targetIsDemandOfATenthOfASecond() {
    steady(100, 50_000, 20); // 2,000 a second

    assertThat(demand.target()).isCloseTo(200, Percentage.withPercentage(2));
  }

  @Test
  void slowKeyTargetIsWorthARequest() {
    steady(1, 50_000, 200); // 20 a second

    assertThat(demand.target()).isEqualTo(DemandEstimator.WORTH_A_CALL);
  }

  @Test
  void targetIsNoMoreThanDemandOfALeaseLife() {
    steady(1, SECOND, 100);

    assertThat(demand.target()).isBetween(3L, 4L);
  }

  @Test
  void hotKeyIsKnownAtSecondRequest() {
    steady(1, SECOND, 3);
    now += 20_000;
    demand.add(200, now);

    assertThat(demand.target()).isGreaterThan(900);
  }

  @Test
  void twoQuickCallsAreNoHotKey() {
    steady(1, 60 * SECOND, 3);
    now += 1000;
    demand.add(1, now);

    assertThat(demand.target()).isLessThanOrEqualTo(DemandEstimator.WORTH_A_CALL);
    assertThat(demand.expectedIn(SECOND)).isLessThan(10);
  }

  @Test
  void ignoresIntervalsWithoutDuration() {
    demand.add(1, 0);
    assertThat(demand.target()).isZero();

    demand.add(1, 999);
    assertThat(demand.target()).isZero();
  }

  @Test
  void demandDecays() {
    steady(100, 50_000, 20);
    now += 60 * SECOND;
    demand.add(1, now);

    assertThat(demand.target()).isZero();
  }

  @Test
  void estimatesHowLongTokensLast() {
    steady(100, 50_000, 20);

    assertThat(demand.durationOf(2000)).isCloseTo(SECOND, Percentage.withPercentage(2));
    assertThat(new DemandEstimator(0).durationOf(5)).isEqualTo(DemandEstimator.MAX_HORIZON);
  }
}
