package io.weir.control.rollout.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleTotals;
import io.weir.control.rollout.plan.RolloutPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgeTest {
  private static final RolloutPlan PLAN =
      RolloutPlan.parse("shadow 5min; 5% 5min; 100% 1min; bake 15min");
  private static final Duration OVER = Duration.ofHours(1);

  private static RuleTotals rule(String name, int active, int newlyRefused, int refusedByOld) {
    List<KeyCounts> keys = new ArrayList<>();
    for (int i = 0; i < active; i++) {
      boolean old = i >= active - refusedByOld;
      keys.add(new KeyCounts(i, 10, old ? 1 : 0, i < newlyRefused ? 5 : old ? 1 : 0));
    }
    return new RuleTotals(
        name, false, LongStream.range(0, Math.min(active, 10)).boxed().toList(), keys);
  }

  private static Situation situation(
      int step, Duration inStep, double expected, RuleTotals... rules) {
    return situation(PLAN, step, inStep, expected, rules);
  }

  private static Situation situation(
      RolloutPlan plan, int step, Duration inStep, double expected, RuleTotals... rules) {
    Expectation expectation = Expectation.of(expected, Expectation.Source.STATED);
    return new Situation(plan, step, inStep, expectation, List.of(rules), rules.length, List.of());
  }

  /** Newly refused of active keys, the expectation, and whether that is harm. */
  @ParameterizedTest
  @CsvSource({
    "1000, 0, 0, false",
    "1000, 13, 0, false",
    "1000, 14, 0, true",
    "100, 3, 0, false",
    "100, 4, 0, true",
    "10, 0, 0, false",
    "10, 1, 0, true",
    "9, 9, 0, false",
    "10, 4, 0.05, false",
    "10, 5, 0.05, true",
    "10000, 478, 0.02, false",
    "10000, 479, 0.02, true",
    "1000, 64, 0.02, false",
    "1000, 65, 0.02, true",
    "1000, 137, 0.05, false",
    "1000, 138, 0.05, true",
    "1000, 1000, 0.5, false",
  })
  void rollsBackWhenMoreKeysAreRefusedThanExpected(
      int active, int refused, double expected, boolean harm) {
    for (int step = 0; step < 4; step++) {
      Verdict verdict =
          Judge.judge(
              situation(step, Duration.ofSeconds(5), expected, rule("api", active, refused, 0)));
      assertThat(verdict instanceof Verdict.RollBack).isEqualTo(harm);
    }
  }

  @Test
  void saysWhatWasExpectedAndWhatWasRefused() {
    Verdict verdict =
        Judge.judge(
            situation(
                0, Duration.ZERO, 0.02, rule("calm", 5000, 0, 0), rule("api", 2350, 912, 10)));

    Verdict.RollBack back = (Verdict.RollBack) verdict;
    assertThat(back.reason())
        .isEqualTo(
            "rule api: you expected 47 keys; it refused 912 of 2350 active keys (4560 of 23500"
                + " calls) within 60 s");
    assertThat(back.findings().toJson())
        .startsWith(
            "{\"summary\":\"you expected 47 keys; it refused 912\",\"expected\":\"2%\","
                + "\"window_s\":60,\"rules\":[{\"rule\":\"calm\"")
        .contains(
            "{\"rule\":\"api\",\"active_keys\":2350,\"expected_keys\":47,"
                + "\"newly_refused_keys\":912,\"keys_refused_by_old\":10,\"calls\":23500,"
                + "\"newly_refused_calls\":4560,\"lower_bound\":\"34.88%\",\"threshold\":\"4%\","
                + "\"top_keys\":[{\"key\":\"0000000000\",\"calls\":10,\"refused_by_old\":0,"
                + "\"refused_by_new\":5}");
    assertThat(back.findings().rules().get(1).topKeys()).hasSize(10);
  }

  @Test
  void oneHarmfulRuleIsNotDrownedByManyCalmOnes() {
    assertThat(
            Judge.judge(
                situation(
                    0, Duration.ZERO, 0, rule("large", 100_000, 0, 0), rule("small", 20, 20, 0))))
        .isInstanceOf(Verdict.RollBack.class);
  }

  @Test
  void fewerThanTenKeysAreNeitherSuccessNorFailure() {
    Verdict verdict = Judge.judge(situation(0, OVER, 0, rule("api", 9, 9, 0)));

    assertThat(((Verdict.Held) verdict).reason()).isEqualTo(HoldReason.FEW_KEYS);
    assertThat(verdict.findings().summary()).isEqualTo("you expected 0 keys; it refused 9");
  }

  @Test
  void goesOnUntilTheTimeOfTheStepIsOver() {
    RuleTotals calm = rule("api", 100, 0, 0);

    assertThat(Judge.judge(situation(0, Duration.ofMinutes(5).minusMillis(1), 0, calm)))
        .isInstanceOf(Verdict.GoOn.class);
    assertThat(Judge.judge(situation(0, Duration.ofMinutes(5), 0, calm)))
        .isInstanceOf(Verdict.Advance.class);
  }

  @Test
  void noTrafficIsNeitherSuccessNorFailure() {
    Verdict verdict =
        Judge.judge(situation(0, OVER, 0, rule("api", 100, 0, 0), rule("rare", 0, 0, 0)));

    assertThat(((Verdict.Held) verdict).text()).isEqualTo("no traffic: rule rare");
    assertThat(verdict.findings().notes()).containsExactly("rule rare had no calls in this step");
  }

  @Test
  void fewKeysAreListed() {
    Verdict verdict = Judge.judge(situation(1, OVER, 0, rule("api", 3, 0, 0)));

    assertThat(((Verdict.Held) verdict).text())
        .isEqualTo("few keys: rule api: 0000000000, 0000000001, 0000000002");
    assertThat(Judge.judge(situation(1, OVER, 0, rule("api", 10, 0, 0))))
        .isInstanceOf(Verdict.Advance.class);
  }

  @Test
  void aPlanCanGoOnWithFewKeys() {
    RolloutPlan plan = RolloutPlan.parse(PLAN + "; few_keys: advance");

    assertThat(Judge.judge(situation(plan, 0, OVER, 0, rule("api", 1, 0, 0))))
        .isInstanceOf(Verdict.Advance.class);
    assertThat(Judge.judge(situation(plan, 0, OVER, 0, rule("api", 0, 0, 0))))
        .isInstanceOf(Verdict.Held.class);
  }

  @ParameterizedTest
  @CsvSource({"100, 20, false", "100, 21, true", "1000, 500, true"})
  void aBaselineThatIsAlreadyBadCannotBeJudged(int active, int refusedByOld, boolean bad) {
    Verdict verdict = Judge.judge(situation(0, OVER, 0, rule("api", active, 0, refusedByOld)));

    assertThat(verdict instanceof Verdict.Held).isEqualTo(bad);
    if (verdict instanceof Verdict.Held held) {
      assertThat(held.text())
          .isEqualTo(
              "baseline already bad: rule api: the old version refused %d of %d active keys"
                  .formatted(refusedByOld, active));
    }
  }

  @Test
  void harmIsRolledBackAlsoOnABadBaseline() {
    assertThat(Judge.judge(situation(0, OVER, 0, rule("api", 100, 50, 40))))
        .isInstanceOf(Verdict.RollBack.class);
  }

  @Test
  void waitsForInstancesThatSentNothingAndRulesThatDoNotCountYet() {
    Situation calm = situation(0, OVER, 0, rule("api", 100, 0, 0));
    Situation silent =
        new Situation(PLAN, 0, OVER, calm.expectation(), calm.rules(), 1, List.of("b", "c"));
    RuleTotals warming = new RuleTotals("api", true, List.of(), List.of());

    assertThat(((Verdict.Held) Judge.judge(silent)).text())
        .isEqualTo("waiting: no evidence from b, c");
    assertThat(((Verdict.Held) Judge.judge(situation(0, OVER, 0, warming))).text())
        .isEqualTo("waiting: rule api counts after its first period");
  }

  /** Steps 2 to 3 and the end of the bake enforce nothing more, so nothing holds them. */
  @ParameterizedTest
  @CsvSource({"2", "3"})
  void heldOnlyStopsAStepThatWouldEnforceMore(int step) {
    Verdict verdict = Judge.judge(situation(step, OVER, 0, rule("api", 0, 0, 0)));

    assertThat(((Verdict.Advance) verdict).note()).isEqualTo("no traffic: rule api");
  }

  @Test
  void theBakeOfNowEndsByItselfWithoutTraffic() {
    Verdict verdict = Judge.judge(situation(RolloutPlan.NOW, 0, OVER, 0, rule("api", 0, 0, 0)));

    assertThat(((Verdict.Advance) verdict).note()).isEqualTo("no traffic: rule api");
  }

  @Test
  void nothingHoldsAChangeInWhichNoRuleDiffers() {
    assertThat(Judge.judge(situation(0, OVER, 0))).isInstanceOf(Verdict.Advance.class);
  }

  @Test
  void saysThatOnlyTheBusiestRulesAreJudged() {
    Situation many =
        new Situation(
            PLAN, 0, OVER, Expectation.NONE, List.of(rule("api", 100, 0, 0)), 31, List.of());

    assertThat(Judge.findings(many).notes())
        .containsExactly("1 of 31 changed rules are judged: the busiest");
  }

  /** Computed by hand from the formula with z = 4. */
  @ParameterizedTest
  @CsvSource({"0, 0, 0", "0, 100, 0", "10, 10, 0.384615", "50, 100, 0.314305", "30, 600, 0.0246"})
  void computesTheWilsonLowerBound(long hits, long trials, double bound) {
    assertThat(WilsonBound.lower(hits, trials)).isEqualTo(bound, within(0.0002));
  }
}
