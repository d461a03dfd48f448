package io.weir.server.control;

import io.weir.control.rollout.judge.Expectation;
import io.weir.control.rollout.judge.ExpectationRule;
import io.weir.control.rollout.judge.ExpectationRule.Publication;
import io.weir.control.rollout.judge.Percentage;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.server.control.RuleOperations.Intent;
import io.weir.server.control.RuleOperations.PublishOutcome;
import java.util.List;
import java.util.Optional;

/**
 * What the author of a publish states, read.
 *
 * @param back whether the text of an earlier version is published again
 */
record PublishIntent(
    RolloutPlan plan, Optional<Double> stated, Optional<Double> failIfOver, boolean back) {

  /**
   * Reads an intent.
   *
   * @throws IllegalArgumentException with the reason if the plan or a share is invalid
   */
  static PublishIntent of(Intent intent, boolean back) {
    return new PublishIntent(
        RolloutPlan.parse(intent.plan()),
        intent.expectedRefusedKeys().map(text -> Percentage.parse("expect.refused_keys", text)),
        intent.failIfRefusedOver().map(text -> Percentage.parse("fail_if_refused_over", text)),
        back);
  }

  /**
   * What is expected of the version.
   *
   * @param refused present if it cannot be published; the expectation then means nothing
   */
  record Expected(
      Optional<PublishOutcome> refused, Expectation expectation, List<String> warnings) {
    static Expected refuse(PublishOutcome outcome) {
      return new Expected(Optional.of(outcome), Expectation.NONE, List.of());
    }
  }

  Expected expected(Optional<Predictor.Outcome> predicted) {
    String json = predicted.map(Predictor.Outcome::json).orElse("");
    double share = predicted.map(it -> it.prediction().share()).orElse(0.0);
    if (failIfOver.isPresent() && share > failIfOver.get()) {
      return Expected.refuse(
          new PublishOutcome.Refused(
              "refused_over",
              "the change would refuse "
                  + predicted.get().prediction().describe()
                  + ", more than "
                  + Percentage.print(failIfOver.get()),
              json));
    }
    ExpectationRule.Result result =
        ExpectationRule.decide(
            back ? Publication.ROLLBACK : Publication.APPLY,
            stated,
            predicted.map(Predictor.Outcome::prediction));
    if (result instanceof ExpectationRule.Result.NeedsExpect needs) {
      return Expected.refuse(new PublishOutcome.Refused("needs_expect", needs.message(), json));
    }
    ExpectationRule.Result.Accepted accepted = (ExpectationRule.Result.Accepted) result;
    return new Expected(Optional.empty(), accepted.expectation(), accepted.warnings());
  }
}
