package io.weir.control.rollout.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.control.store.RolloutState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RolloutPlanTest {
  @Test
  void hasThreePresets() {
    assertThat(RolloutPlan.parse("careful").describe())
        .isEqualTo("shadow 10min; 1% 6min; 5% 6min; 25% 6min; 50% 6min; 100%; bake 30min");
    assertThat(RolloutPlan.parse("standard").describe())
        .isEqualTo("shadow 5min; 5% 5min; 25% 5min; 100% 5min; bake 15min");
    assertThat(RolloutPlan.parse(" now ").describe()).isEqualTo("100%; bake 10min");
    assertThat(RolloutPlan.CAREFUL.time()).isEqualTo(Duration.ofMinutes(10 + 4 * 6 + 30));
  }

  @Test
  void nowHasOneStepThatIsInForceAtOnce() {
    RolloutPlan now = RolloutPlan.NOW;

    assertThat(now.steps()).containsExactly(new PlanStep.Bake(Duration.ofMinutes(10)));
    assertThat(now.firstState()).isEqualTo(RolloutState.BAKING);
    assertThat(now.step(0).percent()).isEqualTo(100);
    assertThat(now.nextEnforcesMore(0)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shadow 10min; 5% 5min; 100%; bake 15min; few_keys: advance",
        "100%",
        "1% 1min; 100% 1h",
        "shadow 90s; 100%; bake 1day",
        "careful",
        "standard",
        "now"
      })
  void parsesAndPrintsBothWays(String text) {
    RolloutPlan plan = RolloutPlan.parse(text);

    assertThat(plan.toString()).isEqualTo(text);
    assertThat(RolloutPlan.parse(plan.toString())).isEqualTo(plan);
    assertThat(RolloutPlan.parse(plan.describe())).isEqualTo(plan);
  }

  @Test
  void takesSpacesAndPresetsWrittenOut() {
    assertThat(RolloutPlan.parse("  100% ;bake 10 min")).isEqualTo(RolloutPlan.NOW);
    assertThat(RolloutPlan.parse("few_keys:hold; 100%; bake 600s")).isEqualTo(RolloutPlan.NOW);
  }

  @Test
  void knowsItsSteps() {
    RolloutPlan plan = RolloutPlan.parse("shadow 10min; 5% 5min; 100% 1min; bake 15min");

    assertThat(plan.stateAt(0)).isEqualTo(RolloutState.RUNNING);
    assertThat(plan.stateAt(3)).isEqualTo(RolloutState.BAKING);
    assertThat(plan.nextEnforcesMore(0)).isTrue();
    assertThat(plan.nextEnforcesMore(1)).isTrue();
    assertThat(plan.nextEnforcesMore(2)).isFalse();
    assertThat(plan.isLast(2)).isFalse();
    assertThat(plan.isLast(3)).isTrue();
    assertThat(plan.step(99)).isEqualTo(plan.step(3));
    assertThat(RolloutPlan.parse("100%").firstState()).isEqualTo(RolloutState.DONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | '' is not a step",
        "slow | 'slow' is not a step; write shadow 10min",
        "slow | one of careful, now, standard",
        "shadow 10min | must end with 100%",
        "shadow 10min; 5% 5min | must end with 100%",
        "5% 5min; bake 10min | bake comes before 100%",
        "25% 5min; 5% 5min; 100% | '5% 5min' does not enforce more than the step before",
        "5% 5min; shadow 5min; 100% | 'shadow 5min' does not enforce more",
        "0% 5min; 100% | 0% is not a whole percentage from 1 to 100",
        "101% 5min; 100% | 101% is not a whole percentage",
        "0.5% 5min; 100% | '0.5%' is not a whole percentage",
        "5%; 100% | '5%' has no time; write 5% 5min",
        "shadow; 100% | 'shadow' has no time",
        "shadow 5m; 100% | '5m' is not a time such as 30s",
        "100%; bake 10min; 5% 5min | '5% 5min' comes after bake",
        "100%; 5% 5min | '5% 5min' comes after 100%",
        "100%; 100% | 100% is named twice",
        "shadow 0s; 100% | a step takes 1s to 7day",
        "shadow 8day; 100% | a step takes 1s to 7day",
        "100%; few_keys: maybe | few_keys is advance or hold, not 'maybe'",
      })
  void saysWhatIsWrong(String text, String message) {
    assertThatThrownBy(() -> RolloutPlan.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("plan: ")
        .hasMessageContaining(message);
  }

  @Test
  void isBounded() {
    StringBuilder steps = new StringBuilder();
    for (int percent = 1; percent <= 20; percent++) {
      steps.append(percent).append("% 1s; ");
    }
    assertThatThrownBy(() -> RolloutPlan.parse(steps + "100%")).hasMessageContaining("21 steps");
    assertThatThrownBy(() -> RolloutPlan.parse(" ".repeat(2000)))
        .hasMessageContaining("1000 characters");
  }
}
