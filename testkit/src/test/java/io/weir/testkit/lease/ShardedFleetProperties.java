package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.limit.LeaseCap;
import io.weir.limit.LimitDivision;
import io.weir.rule.Accuracy;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/** Through any events of a fleet, shards together admit no more than the limit that was split. */
@Tag("fleet")
class ShardedFleetProperties {
  private static final int CALLS = 750;

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void admitAtMostBurstAndRateAndWhatIsLent(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int shards = 2 + random.nextInt(15);
    long rate = 1 + random.nextLong(random.nextBoolean() ? 50 : 3000);
    long burst = shards + random.nextLong(2 * rate + 20);
    Duration period = Duration.ofMillis(random.nextBoolean() ? 1000 : 100 + random.nextLong(5_000));
    TokenBucket limit = new TokenBucket(rate, period, burst, "");
    Accuracy accuracy = accuracy(random);
    long most = lent(limit, shards, accuracy);
    AdmissionBound admitted = new AdmissionBound(limit);
    SimulatedFleet fleet =
        new SimulatedFleet(
            limit, shards, accuracy, conditions(random), random.nextLong(), admitted);
    double perSecond = 1e6 * rate / Micros.of(period);

    new ChaosEvents(fleet, random.nextLong(), perSecond, largest(limit, shards, random), CALLS)
        .run(() -> nothingIsLentTwice(fleet, most));

    assertThat(most).isLessThanOrEqualTo(LeaseCap.of(limit, accuracy.millionths()));
    assertThat(admitted.ceiling()).isLessThanOrEqualTo(burst + most);
  }

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void admitNoMoreThanAWindowHolds(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int shards = 2 + random.nextInt(15);
    long count = shards + random.nextLong(2000);
    Duration window = Duration.ofMillis(200 + random.nextLong(20_000));
    Limit limit =
        random.nextBoolean()
            ? Limit.fixedWindow(count, window)
            : Limit.slidingWindow(count, window);
    Accuracy accuracy = accuracy(random);
    long most = lent(limit, shards, accuracy);
    long length = Micros.of(window);
    long phase = Math.floorMod(KeyEncoding.hash(SimulatedFleet.RULE, SimulatedFleet.USER), length);
    WindowAdmissionBound admitted =
        new WindowAdmissionBound(
            micros -> Math.floorDiv(micros + SimulatedFleet.STORE_IS_AHEAD - phase, length));
    SimulatedFleet fleet =
        new SimulatedFleet(
            limit, shards, accuracy, conditions(random), random.nextLong(), admitted);
    fleet.keepStoreClock();

    new ChaosEvents(
            fleet, random.nextLong(), 1e6 * count / length, largest(limit, shards, random), CALLS)
        .run(() -> nothingIsLentTwice(fleet, most));

    assertThat(admitted.most()).isLessThanOrEqualTo(count);
  }

  private static long lent(Limit limit, int shards, Accuracy accuracy) {
    LimitDivision division = LimitDivision.of(limit, shards);
    return IntStream.range(0, shards)
        .mapToLong(number -> LeaseCap.of(division.part(number), accuracy.millionths()))
        .sum();
  }

  private static void nothingIsLentTwice(SimulatedFleet fleet, long most) {
    long out = fleet.out(SimulatedFleet.USER);
    assertThat(out).isLessThanOrEqualTo(most);
    assertThat(fleet.inHand()).isLessThanOrEqualTo(out);
  }

  private static Accuracy accuracy(SplittableRandom random) {
    return new Accuracy(random.nextBoolean() ? 10_000 : random.nextInt(500_001));
  }

  private static SimulatedLink.Conditions conditions(SplittableRandom random) {
    return new SimulatedLink.Conditions(
        50 + random.nextLong(4000), random.nextBoolean() ? 0 : 0.03);
  }

  private static long largest(Limit limit, int shards, SplittableRandom random) {
    return 1 + random.nextLong(Math.max(1, limit.capacity() / shards / 3));
  }
}
