package io.weir.control.rollout.judge;

import io.weir.control.rollout.evidence.RuleTotals;
import io.weir.control.rollout.plan.RolloutPlan;
import java.time.Duration;
import java.util.List;

/**
 * Where a rollout is, and what is known of it.
 *
 * @param step index into the plan's steps
 * @param inStep how long the rollout has been in this step
 * @param rules the changed rules that are judged, each summed over all instances
 * @param changedRules how many rules differ; larger than {@code rules} if only the busiest are
 *     judged
 * @param silent live instances that have sent no evidence lately
 */
public record Situation(
    RolloutPlan plan,
    int step,
    Duration inStep,
    Expectation expectation,
    List<RuleTotals> rules,
    int changedRules,
    List<String> silent) {
  public Situation {
    rules = List.copyOf(rules);
    silent = List.copyOf(silent);
  }
}
