package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.rule.Accuracy;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals that shards cause for conforming callers, in virtual time; prints the results. */
class ShardedFleetSteadyTest {
  private static final long SECOND = 1_000_000;
  private final SplittableRandom random = new SplittableRandom(20260101);

  private static SimulatedFleet fleet(TokenBucket limit, int shards, String accuracy, int members) {
    SimulatedFleet fleet =
        new SimulatedFleet(
            limit,
            shards,
            Accuracy.of(accuracy),
            SimulatedLink.Conditions.FINE,
            1,
            (amount, at) -> {});
    for (int i = 0; i < members; i++) {
      fleet.start();
    }
    return fleet;
  }

  /**
   * Calls come at random, at a multiple of the rate; calls that the unsharded limit would refuse
   * are not made.
   */
  @ParameterizedTest
  @CsvSource({
    "1000/s, 8,  0.80, exact, 0.001",
    "1000/s, 8,  0.95, 1%,    0.001",
    "1000/s, 8,  1.30, exact, 0.02",
    "1000/s, 8,  1.30, 1%,    0.03",
    "100/s,  8,  0.80, exact, 0.005",
    "100/s,  8,  0.80, 1%,    0.005",
    "100/s,  8,  0.95, exact, 0.01",
    "100/s,  8,  1.30, exact, 0.05"
  })
  void aConformingCallerIsRefusedRarely(
      String spec, int shards, double load, String accuracy, double most) {
    for (int members : new int[] {1, 4}) {
      TokenBucket limit = (TokenBucket) Limit.parse(spec);
      SimulatedFleet fleet = fleet(limit, shards, accuracy, members);
      double perSecond = load * limit.rate() * SECOND / Micros.of(limit.period());
      Meter meter = Meter.of(limit);
      LimitState exact = new LimitState();

      while (fleet.time().micros() < 20 * SECOND) {
        double wait = -Math.log(1 - random.nextDouble()) * SECOND / perSecond;
        fleet.time().advanceMicros((long) wait);
        long now = fleet.time().micros();
        meter.open(exact, now, 0);
        if (meter.admits(exact, now, 1)) {
          meter.take(exact, now, 1, 0);
          fleet.call(random.nextInt(members));
        }
      }

      double refused = (double) fleet.stats().refused() / fleet.stats().calls();
      double storeCalls = (double) fleet.storeCalls() / fleet.stats().calls();
      System.out.printf(
          "%s in %d shards, load %.2f, %s, %d instances: %.2f%% refused, %.2f store calls each%n",
          spec, shards, load, accuracy, members, 100 * refused, storeCalls);
      assertThat(refused).isLessThan(most);
    }
  }

  /** Two attempts find most of a full bucket, and no more than it holds. */
  @ParameterizedTest
  @CsvSource({"1000/h, 8, 0.9", "100/h, 8, 0.8", "1000/h, 64, 0.8"})
  void mostOfAWholeBurstAtOnceIsAdmitted(String spec, int shards, double least) {
    TokenBucket limit = (TokenBucket) Limit.parse(spec);
    SimulatedFleet fleet = fleet(limit, shards, "exact", 1);

    for (int i = 0; i < limit.burst(); i++) {
      fleet.call(0);
      fleet.time().advanceMicros(2000);
    }

    double admitted = (double) fleet.stats().allowed() / limit.burst();
    System.out.printf("a burst of %s in %d shards: %.1f%%%n", spec, shards, 100 * admitted);
    assertThat(admitted).isBetween(least, 1.0);
  }
}
