package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.testkit.lease.SimulatedLink.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A fleet that goes through a story. What holds at every moment of any story is asserted on the
 * way: no more is out than may be, nothing can be handed out that is not counted as out, and
 * whatever was admitted was taken from the bucket, or is called degraded.
 */
final class StoryRun {
  private static final Duration DEADLINE = Duration.ofMillis(11);
  private static final Duration FORGOTTEN = Duration.ofSeconds(40);
  private static final int MOST_MEMBERS = 6;

  final SimulatedFleet fleet;
  private final FleetStory story;
  private final long lends;
  private final SplittableRandom random;
  private final Callers callers;

  /** The state of a bucket that takes what callers ask for, and nothing else. */
  private final Meter meter;

  private final LimitState exact = new LimitState();
  private int mishaps;
  private long doubled;

  /** When the store fell silent. */
  private final List<Long> outages = new ArrayList<>();

  /** What was admitted since the store fell silent, and neither by it nor by a lease. */
  private long alone;

  private @Nullable Throwable wrong;

  /** Who calls, and hears what came of it. */
  interface Callers {
    /** Whether everybody is called at the same moment, instead of one. */
    default boolean inStep() {
      return false;
    }

    /** Whether they call only while the limit has room for them, whatever a fleet strands of it. */
    boolean keepToTheLimit();

    /** Hears every decision. */
    void heard(Decision decision, long cost);
  }

  StoryRun(FleetStory story, Callers callers, SimulatedFleet.AdmissionListener log) {
    this.story = story;
    this.callers = callers;
    this.lends = story.lends();
    this.random = new SplittableRandom(story.seed());
    this.meter = Meter.of(story.limit());
    Conditions weather = new Conditions(story.latency(), 0);
    this.fleet =
        new SimulatedFleet(story.limit(), story.accuracy(), weather, random.nextLong(), log);
    // An hour ends soon.
    fleet.stepStoreClock(Duration.ofMinutes(59).plusMillis(random.nextLong(60_000)));
    for (int i = 0; i < story.members(); i++) {
      fleet.start();
    }
  }

  /** What was taken by the store for calls that were then decided without it, at most. */
  long doubled() {
    return doubled;
  }

  /**
   * What instances that decide alone may admit beside the shared limit, in any stretch of time.
   *
   * <p>Windows and quotas: as much again in each, as no share admits more than its part of one; but
   * nothing if there is only one instance, which knows what was left. Sliding windows and logs: as
   * much again even then, as it does not know when the rest went, and that may come back too early.
   *
   * <p>Buckets: the burst of the shares, once. From an outage on, what a share still owes comes
   * back while the shared bucket fills up too, until the instance has told the store: as much as
   * the rate brings in that time, at most what the shared bucket can have lacked, and what the
   * shares can owe when the store is back.
   */
  long alone() {
    long capacity = story.limit().capacity();
    if (outages.isEmpty()) {
      return 0;
    }
    if (!story.isBucket()) {
      return story.members() > 1 || story.assumesEven() ? capacity + story.members() : 0;
    }
    double twice = 0;
    for (int i = 0; i < outages.size(); i++) {
      long end = i + 1 < outages.size() ? outages.get(i + 1) : fleet.time().micros();
      twice += Math.min(2 * capacity, (end - outages.get(i)) * story.perMicro());
    }
    return capacity + (long) twice + story.members() + 1;
  }

  StoryRun run() {
    for (FleetEvent event : story.events()) {
      happens(event);
      check();
    }
    fleet.time().advance(FORGOTTEN);
    check();
    assertThat(fleet.out(SimulatedFleet.USER)).as("stranded for good").isZero();
    return this;
  }

  private void happens(FleetEvent event) {
    if (event instanceof FleetEvent.Calls calls) {
      calls(calls.count(), calls.percent(), calls.member(), calls.cost());
    } else if (event instanceof FleetEvent.Quiet quiet) {
      fleet.time().advance(Duration.ofMillis(quiet.millis()));
    } else if (event instanceof FleetEvent.Start && fleet.size() < MOST_MEMBERS) {
      fleet.start();
    } else if (event instanceof FleetEvent.Stop stop && fleet.size() > 1) {
      fleet.stop(stop.member() % fleet.size());
    } else if (event instanceof FleetEvent.Crash crash) {
      mishap();
      fleet.crash(crash.member() % fleet.size());
      fleet.start();
    } else if (event instanceof FleetEvent.Freeze freeze) {
      mishap();
      fleet.freeze(freeze.member() % fleet.size(), Duration.ofMillis(freeze.millis()));
    } else if (event instanceof FleetEvent.Reload) {
      fleet.reload();
    } else if (event instanceof FleetEvent.Outage outage) {
      outage(outage);
    }
  }

  private void outage(FleetEvent.Outage outage) {
    mishap();
    outages.add(fleet.time().micros());
    fleet.hang(true);
    long begun = fleet.time().micros();
    long end = begun + outage.millis() * 1000L;
    alone = 0;
    calls(outage.count(), outage.percent(), -1, 1);
    fleet.time().advanceMicros(Math.max(0, end - fleet.time().micros()));
    fleet.time().advance(DEADLINE);
    assertThat(alone)
        .as("admitted without the store")
        .isLessThanOrEqualTo(shares(fleet.time().micros() - begun));
    fleet.hang(false);
    int comeBack = random.nextInt(fleet.size() + 1);
    for (int i = 0; i < comeBack; i++) {
      call(i, 1);
      fleet.time().advance(DEADLINE);
    }
  }

  /** What the shares of all instances admit in so long, each at least one token at once. */
  private long shares(long micros) {
    Limit limit = story.limit();
    long atOnce = limit.capacity() + fleet.size();
    return story.isBucket()
        ? atOnce + 1 + (long) (micros * story.perMicro())
        : atOnce * (2 + micros / Micros.of(limit.window()));
  }

  /** Something by which leases, and calls under way, may be lost. */
  private void mishap() {
    mishaps++;
    doubled += 2 * fleet.stats().underWay();
  }

  private void calls(int count, int percent, int member, int cost) {
    double mean = 100 / (percent * story.perMicro());
    for (int i = 0; i < count; i++) {
      double wait = Math.min(-Math.log(1 - random.nextDouble()) * mean, 5e6);
      fleet.time().advanceMicros((long) wait);
      call(member < 0 ? random.nextInt(fleet.size()) : member % fleet.size(), cost);
      if (i % 8 == 0) {
        check();
      }
    }
  }

  private void call(int member, long cost) {
    long all = callers.inStep() ? cost * fleet.size() : cost;
    long now = fleet.time().wallMicros();
    meter.open(exact, now, KeyEncoding.hash(SimulatedFleet.RULE, SimulatedFleet.USER));
    if (callers.keepToTheLimit() && meter.remaining(exact, now) < all + reserved()) {
      return;
    }
    meter.take(exact, now, Math.min(all, meter.remaining(exact, now)), 0);
    for (int i = 0; i < fleet.size(); i++) {
      if (callers.inStep() || i == member) {
        fleet
            .call(i, SimulatedFleet.USER, cost)
            .thenAccept(decision -> heard(decision, cost))
            .exceptionally(this::wrong);
      }
    }
  }

  /**
   * What may be gone from the limit without having served anybody: what is out or lies unused in
   * the window before, what was out at a mishap, calls that are on their way, what was charged for
   * calls that were decided without the store, and what weighs for too long.
   */
  private long reserved() {
    return (2 + mishaps) * lends
        + stale()
        + fleet.stats().underWay()
        + doubled
        + 2 * fleet.size()
        + (long) (20_000 * story.perMicro());
  }

  /**
   * What was told to the store, or started from, counts as if it had gone evenly until then. So a
   * share may have, beside what callers took in the last window, all that the store had when it was
   * last heard; and that may have, beside what they took in a window, what they took alone in the
   * one before. Whoever keeps to a third of the limit finds room.
   */
  private long stale() {
    boolean alone = story.events().stream().anyMatch(FleetEvent.Outage.class::isInstance);
    return alone && story.assumesEven() ? 2 * story.limit().capacity() / 3 + 1 : 0;
  }

  private void heard(Decision decision, long cost) {
    if (decision.allowed() && !decision.degraded()) {
      assertThat(decision.source()).isIn(DecisionSource.LEASE, DecisionSource.STORE);
    }
    alone += decision.allowed() && decision.degraded() ? cost : 0;
    callers.heard(decision, cost);
  }

  private @Nullable Void wrong(Throwable problem) {
    wrong = wrong == null ? problem : wrong;
    return null;
  }

  private void check() {
    assertThat(wrong).as("what callers met").isNull();
    long out = fleet.out(SimulatedFleet.USER);
    assertThat(out).as("out").isLessThanOrEqualTo(lends);
    assertThat(fleet.inHand()).as("in hand, of what is out").isLessThanOrEqualTo(out);
  }
}
