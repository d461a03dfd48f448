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
 * Whatever a fleet goes through: it admits no more than it may, refuses nobody who keeps to the
 * limit less what may be lent, and no return of the store hands anybody another burst. A story that
 * fails is cut down to the events it takes.
 */
@Tag("fleet")
class StoryProperties {
  /** Who hears what came of calls. */
  private interface Hears {
    void heard(Decision decision, long cost);
  }

  private record Crowd(boolean inStep, boolean keepToTheLimit, Hears hears)
      implements StoryRun.Callers {
    @Override
    public void heard(Decision decision, long cost) {
      hears.heard(decision, cost);
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
  void nothingIsAdmittedBeyondTheBoundButWhatIsCalledDegraded(
      @ForAll("everything") FleetStory story) {
    StoryLedger books = new StoryLedger(story);

    books.of(new Crowd(false, false, (decision, cost) -> {})).run();

    assertThat(books.most()).isLessThanOrEqualTo(story.bound());
  }

  // ---- those who keep to the limit

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

  /** Those of an instance that was frozen may have been decided without the store. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void nobodyIsRefusedWhoKeepsToTheLimitLessWhatIsLent(
      @ForAll("withTheStoreThere") FleetStory story) {
    Hears passes =
        (decision, cost) ->
            assertThat(decision.allowed() || decision.degraded()).as("%s", decision).isTrue();

    new StoryLedger(story).of(new Crowd(false, true, passes)).run();
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
   * Before, while and after the store is away, where all instances are asked alike; to a third of
   * it, where nobody knows when something went.
   */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void anOutageRefusesNobodyWhoKeepsToTheLimit(@ForAll("withOutages") FleetStory story) {
    Hears passes = (decision, cost) -> assertThat(decision.allowed()).as("%s", decision).isTrue();

    new StoryLedger(story).of(new Crowd(true, true, passes)).run();
  }

  // ---- those who take what they can get

  @Provide
  Arbitrary<FleetStory> greedyWithOutages() {
    return new RandomStories(4, 4).withSlidingWindows().withLogs().withOutages().arbitrary();
  }

  /** All that callers get, from whomever they ask, also of instances that decide alone. */
  @Property(edgeCases = EdgeCasesMode.NONE)
  void noReturnOfTheStoreBringsAnotherBurst(@ForAll("greedyWithOutages") FleetStory story) {
    StoryLedger all = new StoryLedger(story);

    StoryRun run = all.of(new Crowd(false, false, all::addDegraded)).run();

    assertThat(all.most()).isLessThanOrEqualTo(story.bound() + run.alone() + run.doubled());
  }

  @Provide
  Arbitrary<FleetStory> greedyWithFlaps() {
    return new RandomStories(4, 4).ofFlaps().arbitrary();
  }

  /** Shares give once, and what comes back in these seconds; not a burst each time. */
  @Property(edgeCases = EdgeCasesMode.NONE, tries = 50)
  void aStoreThatComesAndGoesBringsNoBurstEachTime(@ForAll("greedyWithFlaps") FleetStory story) {
    noReturnOfTheStoreBringsAnotherBurst(story);
  }

  /** Stories are not about fleets that nobody asks, or that lend nothing. */
  @Example
  void someCallersInTheseStoriesAreAnsweredFromMemory() {
    long calls = 0;
    long inMemory = 0;
    for (FleetStory story : withTheStoreThere().sampleStream().limit(40).toList()) {
      StoryRun run =
          new StoryLedger(story).of(new Crowd(false, true, (decision, cost) -> {})).run();
      calls += run.fleet.stats().calls();
      inMemory += run.fleet.stats().inMemory();
    }
    assertThat(calls).isGreaterThan(40 * 20);
    assertThat(inMemory).isGreaterThan(calls / 5);
  }
}
