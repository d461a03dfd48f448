package io.weir.testkit.lease;

import io.weir.Limit;
import io.weir.Quota;
import io.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random stories for a fleet. */
final class RandomStories {
  private final int part;
  private final int mostMembers;
  private final List<Arbitrary<? extends FleetEvent>> events = new ArrayList<>();
  private final List<Arbitrary<? extends Limit>> limits = new ArrayList<>();

  /**
   * Stories of calls and pauses.
   *
   * @param part maximum share of the limit that may be lent, as in 1/8
   */
  RandomStories(int part, int mostMembers) {
    this.part = part;
    this.mostMembers = mostMembers;
    calls();
    calls();
    calls();
    events.add(upTo(12_000).map(FleetEvent.Quiet::new));
    limits.add(
        Combinators.combine(from(20, 1000), from(20, 200), from(500, 15_000))
            .as(
                (burst, percent, ms) ->
                    new TokenBucket(
                        Math.max(1, burst * percent / 100), Duration.ofMillis(ms), burst, "")));
    limits.add(
        Combinators.combine(from(20, 1000), from(500, 15_000))
            .as((n, ms) -> Limit.fixedWindow(n, Duration.ofMillis(ms))));
    limits.add(from(20, 1000).map(n -> Limit.quota(n, Quota.Period.HOUR)));
  }

  private void calls() {
    events.add(
        Combinators.combine(from(1, 50), from(10, 1000), from(-1, 3), costs())
            .as(FleetEvent.Calls::new));
  }

  private static Arbitrary<Integer> costs() {
    return Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.just(1)), Tuple.of(1, from(1, 5)));
  }

  RandomStories withSlidingWindows() {
    limits.add(
        Combinators.combine(from(20, 1000), from(500, 15_000))
            .as((n, ms) -> Limit.slidingWindow(n, Duration.ofMillis(ms))));
    return this;
  }

  RandomStories withLogs() {
    limits.add(
        Combinators.combine(from(20, 1000), from(500, 15_000))
            .as((n, ms) -> Limit.slidingLog(n, Duration.ofMillis(ms))));
    return this;
  }

  RandomStories withComingAndGoing() {
    events.add(Arbitraries.of(new FleetEvent.Start(), new FleetEvent.Reload()));
    events.add(upTo(5).map(FleetEvent.Stop::new));
    return this;
  }

  RandomStories withCrashes() {
    events.add(upTo(5).map(FleetEvent.Crash::new));
    return this;
  }

  RandomStories withFreezes() {
    events.add(Combinators.combine(upTo(5), upTo(12_000)).as(FleetEvent.Freeze::new));
    return this;
  }

  RandomStories withOutages() {
    Arbitrary<FleetEvent.Outage> outages =
        Combinators.combine(from(50, 12_000), from(1, 60), from(10, 1000))
            .as(FleetEvent.Outage::new);
    events.add(outages);
    events.add(outages);
    return this;
  }

  /**
   * Only short outages, much faster than buckets refill or windows end, with callers that take all
   * they can get.
   */
  RandomStories ofFlaps() {
    limits.clear();
    limits.add(slow((n, length) -> new TokenBucket(n, length, n, "")));
    limits.add(slow(Limit::slidingWindow));
    limits.add(slow(Limit::slidingLog));
    events.clear();
    Arbitrary<FleetEvent.Outage> flaps =
        Combinators.combine(from(20, 500), from(20, 150), from(5_000, 50_000))
            .as(FleetEvent.Outage::new);
    events.add(flaps);
    events.add(flaps);
    events.add(
        Combinators.combine(from(1, 50), from(5_000, 50_000), from(-1, 3), costs())
            .as(FleetEvent.Calls::new));
    return this;
  }

  private static Arbitrary<Limit> slow(BiFunction<Integer, Duration, Limit> limit) {
    return Combinators.combine(from(20, 60), from(10_000, 60_000))
        .as((n, ms) -> limit.apply(n, Duration.ofMillis(ms)));
  }

  Arbitrary<FleetStory> arbitrary() {
    Arbitrary<List<FleetEvent>> all =
        Arbitraries.oneOf(events).list().ofMinSize(1).ofMaxSize(8).map(some -> List.copyOf(some));
    return Combinators.combine(
            Arbitraries.oneOf(limits),
            from(100, 300_000),
            from(1, mostMembers),
            from(50, 700),
            from(0, 1_000_000),
            all)
        .as(
            (limit, millionths, members, latency, seed, some) ->
                new FleetStory(limit, millionths, part, members, latency, seed, some));
  }

  private static Arbitrary<Integer> upTo(int most) {
    return from(0, most);
  }

  private static Arbitrary<Integer> from(int least, int most) {
    return Arbitraries.integers()
        .between(least, most)
        .withDistribution(RandomDistribution.uniform());
  }
}
