package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Explanation;
import io.weir.adjust.TrafficControls;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Explains the decision that a call would get. Takes nothing. */
final class CallExplainer {
  private final DrawPlanner planner;
  private final DrawExecutor executor;
  private final TimeSource time;

  CallExplainer(DrawPlanner planner, DrawExecutor executor, TimeSource time) {
    this.planner = planner;
    this.executor = executor;
    this.time = time;
  }

  /** What a caller may know: the rules that apply, the numbers in force and the decision. */
  CompletionStage<Explanation> explain(CompiledRules rules, Call call) {
    return explain(
        rules, call, rules.index().explain(call, TrafficControls.NONE, time.wallMicros()));
  }

  /** The same, with the controls that lead to these numbers. */
  CompletionStage<Explanation> explainForOperators(CompiledRules rules, Call call) {
    return explain(rules, call, rules.index().explain(call, rules.controls(), time.wallMicros()));
  }

  private CompletionStage<Explanation> explain(
      CompiledRules rules, Call call, List<Explanation.RuleCheck> notes) {
    Decision bypassed = planner.bypass(rules, call, Draw.Intent.LOOK);
    if (bypassed != null) {
      return immediate(call, notes, bypassed);
    }
    RuleIndex.DrawPlan plan = planner.plan(rules, call, Draw.Intent.LOOK);
    if (DrawPlanner.isImmediate(plan)) {
      return immediate(call, notes, DrawPlanner.immediateDecision(plan));
    }
    return executor.describe(
        plan.draws(),
        (attempt, texts) ->
            new Explanation(
                call.normalPath(),
                notes,
                attempt.limitChecks(texts),
                Decision.of(attempt.result().statuses())));
  }

  private static CompletionStage<Explanation> immediate(
      Call call, List<Explanation.RuleCheck> notes, Decision decision) {
    return CompletableFuture.completedFuture(
        new Explanation(call.normalPath(), notes, List.of(), decision));
  }
}
