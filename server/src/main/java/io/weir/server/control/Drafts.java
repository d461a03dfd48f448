package io.weir.server.control;

import io.weir.control.rollout.judge.Expectation;
import io.weir.control.rollout.judge.ExpectationRule;
import io.weir.control.rollout.judge.ExpectationRule.Publication;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.Draft;
import java.util.Optional;
import java.util.SortedMap;

/** What is to become a version, with its plan and what is expected of it. */
final class Drafts {
  private Drafts() {}

  /** A version from the rule file, which is in force at once. */
  static Draft ofFile(SortedMap<String, String> files) {
    ExpectationRule.Result rule =
        ExpectationRule.decide(Publication.FILE, Optional.empty(), Optional.empty());
    Expectation expected = ((ExpectationRule.Result.Accepted) rule).expectation();
    return of(files, RolloutPlan.NOW, "", expected);
  }

  static Draft of(
      SortedMap<String, String> files, RolloutPlan plan, String whatIf, Expectation expected) {
    return new Draft(files, whatIf, expected.toJson(), plan.toString(), plan.firstState());
  }
}
