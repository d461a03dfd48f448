package io.weir.control.rollout.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.control.rollout.plan.RolloutPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The judge in virtual time: no false alarm on 150 harmless changes, and how long each kind of harm
 * lasts. The tables are printed.
 */
@Tag("fleet")
class JudgeModelTest {
  private static final RolloutPlan PLAN =
      RolloutPlan.parse("shadow 5min; 5% 3min; 100%; bake 7min");
  private static final int HARMLESS_RUNS = 25;
  private static final int HARM_RUNS = 10;
  private static final long YESTERDAY = 1_000_000;
  private static final Duration NEVER = Duration.ofDays(1);
  private static final RuleSide.Version SIXTY = RuleSide.Version.perUser("60/min");

  private final StringBuilder table = new StringBuilder();

  @Test
  void raisesNoAlarmOnHarmlessChanges() {
    row("harmless change", "runs", "expected", "largest seen", "false alarms");
    int alarms = 0;
    alarms += harmless("raise 60/min to 120/min", RuleSide.Version.perUser("120/min"), true);
    alarms += harmless("raise 60/min to 66/min", RuleSide.Version.perUser("66/min"), true);
    alarms += harmless("no difference in numbers", SIXTY, true);
    alarms += harmless("new id, empty buckets", SIXTY, false);
    alarms += harmless("tighten 60/min to 57/min", RuleSide.Version.perUser("57/min"), true);
    alarms += harmless("tighten 60/min to 48/min", RuleSide.Version.perUser("48/min"), true);
    print();
    assertThat(alarms).isZero();
  }

  /**
   * Rolls out with the expectation that a what-if on the calls of the same users on another day
   * gives.
   */
  private int harmless(String name, RuleSide.Version fresh, boolean copies) {
    int alarms = 0;
    double largest = 0;
    double mostExpected = 0;
    for (int seed = 0; seed < HARMLESS_RUNS; seed++) {
      Prediction prediction =
          new RolloutModel(seed, YESTERDAY + seed, SIXTY, fresh, copies)
              .predict(Duration.ofMinutes(10));
      Expectation expectation = expectation(prediction);
      RolloutModel.Outcome outcome =
          new RolloutModel(seed, seed, SIXTY, fresh, copies).rollOut(PLAN, expectation);
      alarms += outcome.rolledBackAfter().isPresent() ? 1 : 0;
      largest = Math.max(largest, outcome.largestShare());
      mostExpected = Math.max(mostExpected, expectation.of(RolloutModel.RULE));
    }
    row(name, HARMLESS_RUNS, percent(mostExpected), percent(largest), alarms);
    return alarms;
  }

  /** As the publish decides; an author who must state an expectation states the prediction. */
  private static Expectation expectation(Prediction prediction) {
    ExpectationRule.Result result =
        ExpectationRule.decide(
            ExpectationRule.Publication.APPLY, Optional.empty(), Optional.of(prediction));
    return result instanceof ExpectationRule.Result.Accepted accepted
        ? accepted.expectation()
        : Expectation.of(prediction.share(), Expectation.Source.STATED);
  }

  @Test
  void catchesHarmWithinSeconds() {
    row("harm", "runs", "expected", "caught", "median", "longest", "from 1st refusal");
    RuleSide.Version typo = RuleSide.Version.perUser("6/min");
    LongFunction<RolloutModel> typos = seed -> new RolloutModel(seed, seed, SIXTY, typo, true);

    RuleSide.Version byTenant =
        new RuleSide.Version("60/min by tenant", it -> Limit.parse("60/min"), user -> user % 20);
    LongFunction<RolloutModel> keys = seed -> new RolloutModel(seed, seed, SIXTY, byTenant, false);

    LongFunction<RolloutModel> halves = seed -> halved(seed, 10);
    LongFunction<RolloutModel> largeHalves = seed -> halved(seed, 5);

    RuleSide.Version everyOne = RuleSide.Version.perUser("5/min");
    RuleSide.Version noOne = RuleSide.Version.perUser("1000000/s");
    LongFunction<RolloutModel> matches =
        seed -> new RolloutModel(seed, seed, noOne, everyOne, false);

    Duration typoFound = caught("typo 60/min to 6/min", typos, 0);
    Duration typoInFile = caught("typo 60/min to 6/min", typos, 0.05);
    Duration keyFound = caught("wrong key: tenant, not user", keys, 0);
    Duration keyInFile = caught("wrong key: tenant, not user", keys, 0.05);
    Duration halfFound = caught("heavy tier (10% of users) halved", halves, 0);
    Duration halfInFile = caught("heavy tier (20% of users) halved", largeHalves, 0.05);
    Duration matchFound = caught("match catches every caller", matches, 0);
    Duration matchInFile = caught("match catches every caller", matches, 0.05);
    print();
    assertThat(List.of(typoFound, keyFound, matchFound)).allMatch(it -> it.toSeconds() <= 10);
    assertThat(List.of(typoInFile, keyInFile, matchInFile)).allMatch(it -> it.toSeconds() <= 15);
    // Halved buckets hold out for a minute; until then no call is refused.
    assertThat(halfFound).isLessThanOrEqualTo(Duration.ofSeconds(100));
    assertThat(halfInFile).isLessThanOrEqualTo(Duration.ofSeconds(135));
  }

  private static RolloutModel halved(long seed, int oneIn) {
    return new RolloutModel(seed, seed, tiers(oneIn, "300/min"), tiers(oneIn, "150/min"), true)
        .withHeavyUsers(oneIn, 240);
  }

  private static RuleSide.Version tiers(int oneIn, String heavy) {
    Limit large = Limit.parse(heavy);
    Limit small = Limit.parse("60/min");
    return new RuleSide.Version(
        heavy, user -> RolloutModel.isOneIn(oneIn, user) ? large : small, user -> user);
  }

  /** The longest time until harm is caught, over all runs. */
  private Duration caught(String name, LongFunction<RolloutModel> harm, double expected) {
    Expectation expectation = Expectation.of(expected, Expectation.Source.FILE);
    List<Duration> times = new ArrayList<>();
    List<Duration> harmful = new ArrayList<>();
    for (int seed = 0; seed < HARM_RUNS; seed++) {
      RolloutModel.Outcome outcome = harm.apply(seed).rollOut(PLAN, expectation);
      Duration caught = outcome.rolledBackAfter().orElse(NEVER);
      times.add(caught);
      harmful.add(caught.minus(outcome.firstRefusal().orElse(Duration.ZERO)));
    }
    times.sort(Duration::compareTo);
    harmful.sort(Duration::compareTo);
    Duration longest = times.get(HARM_RUNS - 1);
    row(
        name,
        HARM_RUNS,
        percent(expected),
        times.stream().filter(it -> !it.equals(NEVER)).count(),
        seconds(times.get(HARM_RUNS / 2)),
        seconds(longest),
        seconds(harmful.get(HARM_RUNS - 1)));
    return longest;
  }

  private static String seconds(Duration time) {
    return time.compareTo(PLAN.time()) > 0 ? "never" : time.toSeconds() + " s";
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", share * 100);
  }

  private void row(Object... cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      line.append(String.format(i == 0 ? "%-36s" : "%18s", cells[i]));
    }
    table.append(line.toString().stripTrailing()).append('\n');
  }

  private void print() {
    System.out.println(table);
  }
}
