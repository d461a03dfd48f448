package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/**
 * Through any events, a fleet admits no more than its bound, refuses no caller that stays within
 * the limit minus what may be lent, and grants no extra burst when the store returns. A failing
 * story is shrunk to the events it needs.
 */
@Tag("fleet")
class StoryProperties {
  /** Receives the decisions. */
  private interface DecisionListener {
    void onDecision(Decision decision, long cost);
  }

  /**
   * How callers behave in a story, which itself says only when a call could be made, to which
   * instance and at which cost.
   *
   * <p>Greedy callers make every call of the story, so that the limit is exhausted all the time:
   * they show how much a fleet admits at most. Conforming callers skip a call for which an exact
   * meter has no room, less the tokens that leases may withhold: a refusal is then a mistake of the
   * fleet. Callers of one instance leave usage uneven, as a load balancer with few connections
   * does. Callers of all instances repeat the call on each, so that local shares fit during an
   * outage.
   */
  private record CallerBehaviour(
      boolean allInstances, boolean conforming, DecisionListener listener)
      implements StoryRun.Callers {
    static CallerBehaviour greedy(DecisionListener listener) {
      return new CallerBehaviour(false, false, listener);
    }

    static CallerBehaviour conforming(DecisionListener listener) {
      return new CallerBehaviour(false, true, listener);
    }

    static CallerBehaviour conformingOnAllInstances(DecisionListener listener) {
      return new CallerBehaviour(true, true, listener);
    }

    @Override
    public void onDecision(Decision decision, long cost) {
      listener.onDecision(decision, cost);
    }
  }

  // ---- the bound

  @Provide
  Arbitrary<FleetStory> everything() {
    return new RandomStories(2, 3)
        .withSlidingWindows()
        .withLogs()
        .withComingAndGoing()
        .withCrashes()
        .withFreezes()
        .withOutages()
        .arbitrary();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void onlyDegradedDecisionsExceedTheBound(@ForAll("everything") FleetStory story) {
    StoryLedger books = new StoryLedger(story);

    books.of(CallerBehaviour.greedy((decision, cost) -> {})).run();

    assertThat(books.most()).isLessThanOrEqualTo(story.bound());
  }

  // ---- conforming callers

  @Provide
  Arbitrary<FleetStory> withTheStoreThere() {
    return new RandomStories(8, 3)
        .withSlidingWindows()
        .withLogs()
        .withComingAndGoing()
        .withCrashes()
        .withFreezes()
        .arbitrary();
  }

  /** Calls to an instance that was frozen may have been decided without the store. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void conformingCallersAreNotRefusedBelowTheLimitMinusLeases(
      @ForAll("withTheStoreThere") FleetStory story) {
    DecisionListener passes =
        (decision, cost) ->
            assertThat(decision.allowed() || decision.degraded()).as("%s", decision).isTrue();

    new StoryLedger(story).of(CallerBehaviour.conforming(passes)).run();
  }

  @Provide
  Arbitrary<FleetStory> withOutages() {
    return new RandomStories(12, 3)
        .withSlidingWindows()
        .withLogs()
        .withCrashes()
        .withOutages()
        .arbitrary();
  }

  /**
   * Before, during and after an outage, if all instances are called alike; up to a third of the
   * limit where the time of earlier usage is unknown.
   */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void outageRefusesNoConformingCaller(@ForAll("withOutages") FleetStory story) {
    DecisionListener passes =
        (decision, cost) -> assertThat(decision.allowed()).as("%s", decision).isTrue();

    new StoryLedger(story).of(CallerBehaviour.conformingOnAllInstances(passes)).run();
  }

  // ---- greedy callers

  @Provide
  Arbitrary<FleetStory> greedyWithOutages() {
    return new RandomStories(4, 4).withSlidingWindows().withLogs().withOutages().arbitrary();
  }

  /** All admissions by any instance, degraded ones included. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void returnOfTheStoreGrantsNoExtraBurst(@ForAll("greedyWithOutages") FleetStory story) {
    StoryLedger all = new StoryLedger(story);

    StoryRun run = all.of(CallerBehaviour.greedy(all::addDegraded)).run();

    assertThat(all.most()).isLessThanOrEqualTo(story.bound() + run.alone() + run.doubled());
  }

  @Provide
  Arbitrary<FleetStory> greedyWithFlaps() {
    return new RandomStories(4, 4).ofFlaps().arbitrary();
  }

  /** Shares grant their burst once plus the refill of these seconds; not a burst each time. */
  @Property(edgeCases = EdgeCasesMode.NONE, tries = 50)
  void repeatedOutagesGrantNoBurstEachTime(@ForAll("greedyWithFlaps") FleetStory story) {
    returnOfTheStoreGrantsNoExtraBurst(story);
  }

  /** The stories are not trivial: fleets are called, and lend. */
  @Example
  void someCallersInTheseStoriesAreAnsweredFromMemory() {
    long calls = 0;
    long inMemory = 0;
    for (FleetStory story : withTheStoreThere().sampleStream().limit(40).toList()) {
      StoryRun run =
          new StoryLedger(story).of(CallerBehaviour.conforming((decision, cost) -> {})).run();
      calls += run.fleet.stats().calls();
      inMemory += run.fleet.stats().inMemory();
    }
    assertThat(calls).isGreaterThan(40 * 20);
    assertThat(inMemory).isGreaterThan(calls / 5);
  }
}
