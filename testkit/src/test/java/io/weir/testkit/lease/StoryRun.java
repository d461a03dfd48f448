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
 * Runs a fleet through a story. Invariants are asserted on the way: leases stay within their
 * maximum, only tokens counted as on lease can be handed out, and every admission was taken from
 * the bucket or is marked degraded.
 */
final class StoryRun {
  private static final Duration DEADLINE = Duration.ofMillis(11);
  private static final Duration FORGOTTEN = Duration.ofSeconds(40);
  private static final int MAX_MEMBERS = 6;

  final SimulatedFleet fleet;
  private final FleetStory story;
  private final long lends;
  private final SplittableRandom random;
  private final Callers callers;

  /** The meter of a model bucket that counts only the callers' requests. */
  private final Meter meter;

  private final LimitState exact = new LimitState();
  private int mishaps;
  private long doubled;

  /** Start times of outages. */
  private final List<Long> outages = new ArrayList<>();

  /** Admissions since the outage began that came neither from the store nor from a lease. */
  private long alone;

  private @Nullable Throwable wrong;

  /** The behaviour of callers, and a listener for decisions. */
  interface Callers {
    /** Whether all instances are called at the same time, instead of one. */
    default boolean allInstances() {
      return false;
    }

    /** Whether they call only while the limit has room, after what a fleet may have lost. */
    boolean conforming();

    /** Receives every decision. */
    void onDecision(Decision decision, long cost);
  }

  StoryRun(FleetStory story, Callers callers, SimulatedFleet.AdmissionListener log) {
    this.story = story;
    this.callers = callers;
    this.lends = story.lends();
    this.random = new SplittableRandom(story.seed());
    this.meter = Meter.of(story.limit());
    Conditions conditions = new Conditions(story.latency(), 0);
    this.fleet =
        new SimulatedFleet(story.limit(), story.accuracy(), conditions, random.nextLong(), log);
    // An hour ends soon.
    fleet.stepStoreClock(Duration.ofMinutes(59).plusMillis(random.nextLong(60_000)));
    for (int i = 0; i < story.members(); i++) {
      fleet.start();
    }
  }

  /** Maximum taken by the store for calls that were then decided without it. */
  long doubled() {
    return doubled;
  }

  /**
   * Maximum that instances may admit on their own in addition to the shared limit, in any interval.
   *
   * <p>Windows and quotas: as much again in each, because no share admits more than its part of
   * one; but nothing if there is only one instance, which knows the remainder. Sliding windows and
   * logs: as much again even then, because the time of earlier usage is unknown and it may expire
   * too early.
   *
   * <p>Buckets: the burst of the shares, once. From an outage on, the debt of a share refills while
   * the shared bucket refills too, until the instance has reported to the store: as much as the
   * rate gives in that time, at most what the shared bucket can have lacked, and what the shares
   * can owe when the store returns.
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
      apply(event);
      check();
    }
    fleet.time().advance(FORGOTTEN);
    check();
    assertThat(fleet.out(SimulatedFleet.USER)).as("lost forever").isZero();
    return this;
  }

  private void apply(FleetEvent event) {
    if (event instanceof FleetEvent.Calls calls) {
      calls(calls.count(), calls.percent(), calls.member(), calls.cost());
    } else if (event instanceof FleetEvent.Quiet quiet) {
      fleet.time().advance(Duration.ofMillis(quiet.millis()));
    } else if (event instanceof FleetEvent.Start && fleet.size() < MAX_MEMBERS) {
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

  /** Admissions of all local shares in this time, each at least one token at once. */
  private long shares(long micros) {
    Limit limit = story.limit();
    long atOnce = limit.capacity() + fleet.size();
    return story.isBucket()
        ? atOnce + 1 + (long) (micros * story.perMicro())
        : atOnce * (2 + micros / Micros.of(limit.window()));
  }

  /** An event that may lose leases and calls in flight. */
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
    long all = callers.allInstances() ? cost * fleet.size() : cost;
    long now = fleet.time().wallMicros();
    meter.open(exact, now, KeyEncoding.hash(SimulatedFleet.RULE, SimulatedFleet.USER));
    if (callers.conforming() && meter.remaining(exact, now) < all + reserved()) {
      return;
    }
    meter.take(exact, now, Math.min(all, meter.remaining(exact, now)), 0);
    for (int i = 0; i < fleet.size(); i++) {
      if (callers.allInstances() || i == member) {
        fleet
            .call(i, SimulatedFleet.USER, cost)
            .thenAccept(decision -> onDecision(decision, cost))
            .exceptionally(this::wrong);
      }
    }
  }

  /**
   * Amount that may be missing from the limit without having served a caller: tokens on lease or
   * unused in the previous window, tokens on lease at a mishap, calls in flight, charges for calls
   * that were decided without the store, and usage that counts for too long.
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
   * Usage reported to the store, or taken over from it, counts as if spread evenly until then. So a
   * share may count, in addition to the callers' usage of the last window, all usage that the store
   * had when it last answered; and that may include, in addition to their usage of a window, the
   * local usage of the window before. A caller that stays below a third of the limit always finds
   * room.
   */
  private long stale() {
    boolean alone = story.events().stream().anyMatch(FleetEvent.Outage.class::isInstance);
    return alone && story.assumesEven() ? 2 * story.limit().capacity() / 3 + 1 : 0;
  }

  private void onDecision(Decision decision, long cost) {
    if (decision.allowed() && !decision.degraded()) {
      assertThat(decision.source()).isIn(DecisionSource.LEASE, DecisionSource.STORE);
    }
    alone += decision.allowed() && decision.degraded() ? cost : 0;
    callers.onDecision(decision, cost);
  }

  private @Nullable Void wrong(Throwable problem) {
    wrong = wrong == null ? problem : wrong;
    return null;
  }

  private void check() {
    assertThat(wrong).as("problem seen by callers").isNull();
    long out = fleet.out(SimulatedFleet.USER);
    assertThat(out).as("on lease").isLessThanOrEqualTo(lends);
    assertThat(fleet.inHand()).as("unspent, at most the tokens on lease").isLessThanOrEqualTo(out);
  }
}
