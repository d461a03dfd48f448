package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingWindow;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** A call that one rule refuses takes nothing from another rule with tokens on lease. */
class RefusedCallsProperties {
  private static final int CALLS = 600;

  @Property(edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void remainingEqualsTheLimitMinusAdmissions(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Limit limit = aDays(100 + random.nextLong(3000), random);
    SimulatedFleet fleet = fleet(limit, random);
    AtomicLong admitted = new AtomicLong();
    double perMicro = (100 + random.nextLong(5000)) / 1e6;
    for (int i = 0; i < CALLS; i++) {
      fleet.time().advanceMicros((long) (-Math.log(1 - random.nextDouble()) / perMicro));
      long cost = 1 + random.nextLong(3);
      fleet
          .call(random.nextInt(fleet.size()), SimulatedFleet.USER, cost)
          .thenAccept(decision -> admitted.addAndGet(decision.allowed() ? cost : 0));
      switch (random.nextInt(100)) {
        case 0 -> fleet.time().advance(Duration.ofMillis(random.nextLong(3000)));
        case 1 -> fleet.reload();
        default -> {}
      }
    }
    settle(fleet);

    assertThat(fleet.stats().degraded()).isZero();
    assertThat(fleet.remaining(SimulatedFleet.USER)).isEqualTo(limit.capacity() - admitted.get());
  }

  /** A limit that does not refill within a story. */
  private static Limit aDays(long count, SplittableRandom random) {
    Duration day = Duration.ofDays(1);
    return switch (random.nextInt(4)) {
      case 0 -> Limit.perDay(1).burst(count);
      case 1 -> new FixedWindow(count, day, true, "");
      case 2 -> new SlidingWindow(count, day, true, "");
      default -> Limit.quota(count, Quota.Period.DAY);
    };
  }

  private static SimulatedFleet fleet(Limit limit, SplittableRandom random) {
    Accuracy accuracy = new Accuracy(10_000 + random.nextInt(490_001));
    SimulatedLink.Conditions conditions =
        new SimulatedLink.Conditions(50 + random.nextLong(250), 0);
    SimulatedFleet fleet =
        new SimulatedFleet(limit, accuracy, conditions, random.nextLong(), (amount, micros) -> {});
    // A rule that counts refusals is evaluated on every call.
    fleet.alongside(
        Rule.named("other")
            .key("user")
            .limit(Limit.perSecond(10 + random.nextLong(1000)))
            .accuracy(Accuracy.EXACT)
            .countDenied(random.nextBoolean())
            .build());
    int members = 1 + random.nextInt(3);
    for (int i = 0; i < members; i++) {
      fleet.start();
    }
    return fleet;
  }

  /** Waits until all calls have ended and all refunds have arrived. */
  private static void settle(SimulatedFleet fleet) {
    fleet.time().advance(Duration.ofMillis(100));
    while (fleet.size() > 0) {
      fleet.stop(0);
    }
    fleet.time().advance(Duration.ofSeconds(1));
  }
}
