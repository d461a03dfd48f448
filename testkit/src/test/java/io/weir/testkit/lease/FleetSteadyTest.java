package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.rule.Accuracy;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Without faults, leases cost few store calls and little accuracy. */
class FleetSteadyTest {
  private static final long SECOND = 1_000_000;
  private final SplittableRandom random = new SplittableRandom(20260101);

  private SimulatedFleet fleet(
      TokenBucket limit, String accuracy, int members, SimulatedFleet.AdmissionListener log) {
    SimulatedFleet fleet =
        new SimulatedFleet(limit, Accuracy.of(accuracy), SimulatedLink.Conditions.FINE, 1, log);
    for (int i = 0; i < members; i++) {
      fleet.start();
    }
    return fleet;
  }

  private void awaitNextCall(SimulatedFleet fleet, double perSecond) {
    double wait = -Math.log(1 - random.nextDouble()) * SECOND / perSecond;
    fleet.time().advanceMicros((long) wait);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void hotKeyAtItsLimitCostsFewStoreCallsAndStaysWithinOnePercent(int members) {
    AdmissionBound admitted = new AdmissionBound(Limit.perSecond(2000));
    SimulatedFleet fleet = fleet(Limit.perSecond(2000), "1%", members, admitted);
    drive(fleet, members, 10);
    long admittedBefore = admitted.total();
    long storeCallsBefore = fleet.storeCalls();
    long callsBefore = fleet.stats().calls();

    drive(fleet, members, 70);

    double perSecond = (admitted.total() - admittedBefore) / 60.0;
    double callsPerDecision =
        (double) (fleet.storeCalls() - storeCallsBefore) / (fleet.stats().calls() - callsBefore);
    // One instance at exactly the limit's rate loses only because of uneven arrivals.
    assertThat(perSecond).isBetween(1980.0, 2020.0);
    assertThat(callsPerDecision).isLessThan(0.02);
  }

  private void drive(SimulatedFleet fleet, int members, int untilSeconds) {
    while (fleet.time().micros() < untilSeconds * SECOND) {
      awaitNextCall(fleet, 2000.0 * members);
      fleet.call(random.nextInt(members));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2000/s,              0.95",
    "2000/s,              1.30",
    "100/s,               1.30",
    "100/s burst=1000,    1.30",
    "1000/s burst=100,    1.30",
    "10/s,                0.95",
    "10/s,                1.30",
    "1000/min burst=2000, 1.30"
  })
  void aConformingCallerIsRefusedLessThanTheAccuracy(String spec, double load) {
    for (int members : new int[] {1, 2, 4}) {
      TokenBucket limit = (TokenBucket) Limit.parse(spec);
      SimulatedFleet fleet = fleet(limit, "1%", members, (amount, micros) -> {});
      double perSecond = load * limit.rate() * SECOND / Micros.of(limit.period());
      Meter meter = Meter.of(limit);
      LimitState exact = new LimitState();

      while (fleet.time().micros() < 60 * SECOND || fleet.stats().calls() < 2000) {
        awaitNextCall(fleet, perSecond);
        long now = fleet.time().micros();
        meter.open(exact, now, 0);
        if (meter.admits(exact, now, 1)) {
          meter.take(exact, now, 1, 0);
          fleet.call(random.nextInt(members));
        }
      }

      assertThat((double) fleet.stats().refused() / fleet.stats().calls())
          .as("%s on %d", spec, members)
          .isLessThan(0.01);
    }
  }

  /** 10,000 keys, Zipf 1.1, 5,000 calls a second and instance, sticky routing, accuracy 5%. */
  @Test
  void mostOfATypicalMixIsAnsweredInMemory() {
    SimulatedFleet fleet = fleet(Limit.perSecond(100), "5%", 2, (amount, micros) -> {});
    double[] upTo = new double[10_000];
    double sum = 0;
    for (int i = 0; i < upTo.length; i++) {
      sum += Math.pow(i + 1, -1.1);
      upTo[i] = sum;
    }
    long inMemoryBefore = 0;
    while (fleet.stats().calls() < 150_000) {
      if (fleet.stats().calls() == 50_000) {
        inMemoryBefore = fleet.stats().inMemory();
      }
      awaitNextCall(fleet, 10_000);
      int found = Arrays.binarySearch(upTo, random.nextDouble() * sum);
      int rank = found < 0 ? -1 - found : found;
      fleet.call(rank % 2, "user-" + rank, 1);
    }

    assertThat((fleet.stats().inMemory() - inMemoryBefore) / 100_000.0).isGreaterThan(0.8);
  }
}
