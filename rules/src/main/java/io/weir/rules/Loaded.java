package io.weir.rules;

import io.weir.rule.RuleSet;
import java.util.List;
import java.util.Optional;

/**
 * What came of reading rule documents: a rule set, unless there is an error, and all problems.
 *
 * @param ruleSet empty if and only if at least one problem is an error
 * @param problems errors and warnings, file by file and line by line
 */
public record Loaded(Optional<RuleSet> ruleSet, List<Problem> problems) {
  public Loaded {
    problems = List.copyOf(problems);
    if (ruleSet.isPresent() == problems.stream().anyMatch(Problem::isError)) {
      throw new IllegalArgumentException("a rule set exactly when there is no error");
    }
  }

  /** Whether there is a rule set. */
  public boolean isValid() {
    return ruleSet.isPresent();
  }

  public List<Problem> errors() {
    return problems.stream().filter(Problem::isError).toList();
  }

  public List<Problem> warnings() {
    return problems.stream().filter(problem -> !problem.isError()).toList();
  }
}
