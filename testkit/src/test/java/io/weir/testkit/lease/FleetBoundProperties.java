package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.limit.LeaseCap;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.SplittableRandom;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/** Through any events, a fleet stays within its admission and lease bounds. */
@Tag("fleet")
class FleetBoundProperties {
  private static final int CALLS = 750;

  /** One fleet and its events. */
  private static final class Story {
    final SplittableRandom random;
    final TokenBucket limit;
    final long most;
    final AdmissionBound admitted;
    final SimulatedFleet fleet;

    Story(long seed) {
      random = new SplittableRandom(seed);
      limit = bucket(random);
      Accuracy accuracy = accuracy(random);
      most = LeaseCap.of(limit, accuracy.millionths());
      admitted = new AdmissionBound(limit);
      fleet = new SimulatedFleet(limit, accuracy, conditions(random), random.nextLong(), admitted);
    }

    Story run() {
      double perSecond = 1e6 * limit.rate() / Micros.of(limit.period());
      new ChaosEvents(fleet, random.nextLong(), perSecond, largest(limit, random), CALLS)
          .run(() -> nothingIsLentTwice(fleet, most));
      return this;
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void admitsAtMostBurstAndRateAndWhatIsLent(@ForAll long seed) {
    Story story = new Story(seed).run();

    assertThat(story.admitted.ceiling()).isLessThanOrEqualTo(story.limit.burst() + story.most);
  }

  /** Tokens of calls that wait for another rule are neither on lease nor admitted yet. */
  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void handsNothingOutTwiceWhenAnotherRuleRefuses(@ForAll long seed) {
    Story story = new Story(seed);
    Limit other = story.limit.burst(Math.max(1, story.limit.burst() / 2));
    story.fleet.alongside(
        Rule.named("other").key("user").limit(other).accuracy(Accuracy.EXACT).build());
    story.run();

    FleetStats stats = story.fleet.stats();
    assertThat(story.admitted.ceiling())
        .isLessThanOrEqualTo(story.limit.burst() + story.most + stats.mostUnderWay());
    assertThat(stats.gotBack()).isLessThanOrEqualTo(stats.refusedCost());
  }

  /** A story in which the store's clock is set back to an epoch that an instance still reports. */
  @Example
  void repeatedEpochIsANewOne() {
    handsNothingOutTwiceWhenAnotherRuleRefuses(-7094152);
  }

  /** A story in which the store takes for calls that the other rule's local share refuses. */
  @Example
  void refundedTokensDoNotCountAsAdmitted() {
    handsNothingOutTwiceWhenAnotherRuleRefuses(3282094683124626885L);
  }

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void admitsNoMoreThanAWindowHolds(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long count = 1 + random.nextLong(2000);
    Duration window = Duration.ofMillis(200 + random.nextLong(20_000));
    Limit limit =
        random.nextBoolean()
            ? Limit.fixedWindow(count, window)
            : Limit.slidingWindow(count, window);
    Accuracy accuracy = accuracy(random);
    long most = LeaseCap.of(limit, accuracy.millionths());
    long length = Micros.of(window);
    long phase = Math.floorMod(KeyEncoding.hash(SimulatedFleet.RULE, SimulatedFleet.USER), length);
    WindowAdmissionBound admitted =
        new WindowAdmissionBound(
            micros -> Math.floorDiv(micros + SimulatedFleet.STORE_IS_AHEAD - phase, length));
    SimulatedFleet fleet =
        new SimulatedFleet(limit, accuracy, conditions(random), random.nextLong(), admitted);
    fleet.keepStoreClock();

    new ChaosEvents(fleet, random.nextLong(), 1e6 * count / length, largest(limit, random), CALLS)
        .run(() -> nothingIsLentTwice(fleet, most));

    assertThat(admitted.most()).isLessThanOrEqualTo(limit.capacity());
  }

  /** The bound is not trivial: some fleets lend and need it. */
  @Example
  void someFleetsAdmitMoreThanBurstAndRate() {
    int beyondTheBucket = 0;
    long inMemory = 0;
    for (long seed = 1; seed <= 40; seed++) {
      Story story = new Story(seed).run();
      beyondTheBucket += story.admitted.ceiling() > story.limit.burst() ? 1 : 0;
      inMemory += story.fleet.stats().inMemory();
    }
    assertThat(beyondTheBucket).isPositive();
    assertThat(inMemory).isGreaterThan(40L * CALLS / 10);
  }

  /** The store counts all tokens that instances can hand out, and stays within its bound. */
  private static void nothingIsLentTwice(SimulatedFleet fleet, long most) {
    long out = fleet.out(SimulatedFleet.USER);
    assertThat(out).isLessThanOrEqualTo(most);
    assertThat(fleet.inHand()).isLessThanOrEqualTo(out);
  }

  private static TokenBucket bucket(SplittableRandom random) {
    long rate = 1 + random.nextLong(random.nextBoolean() ? 50 : 3000);
    long burst = 1 + random.nextLong(2 * rate + 20);
    Duration period = Duration.ofMillis(random.nextBoolean() ? 1000 : 100 + random.nextLong(5_000));
    return new TokenBucket(rate, period, burst, "");
  }

  private static Accuracy accuracy(SplittableRandom random) {
    return new Accuracy(random.nextBoolean() ? 10_000 : random.nextInt(500_001));
  }

  private static SimulatedLink.Conditions conditions(SplittableRandom random) {
    return new SimulatedLink.Conditions(
        50 + random.nextLong(4000), random.nextBoolean() ? 0 : 0.03);
  }

  private static long largest(Limit limit, SplittableRandom random) {
    return 1 + random.nextLong(Math.max(1, limit.capacity() / 3));
  }
}
