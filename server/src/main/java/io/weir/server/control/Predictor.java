package io.weir.server.control;

import io.weir.control.rollout.judge.Prediction;
import io.weir.rule.RuleSet;
import java.util.Optional;

/** Predicts what other rules would do to the calls of the last minutes. */
@FunctionalInterface
interface Predictor {
  /** Knows no calls. */
  Predictor NONE = (before, after) -> Optional.empty();

  /**
   * A prediction.
   *
   * @param json the whole outcome, as versions store it
   */
  record Outcome(String json, Prediction prediction) {}

  /** Replays recorded calls; empty if none was recorded. */
  Optional<Outcome> predict(RuleSet before, RuleSet after);
}
