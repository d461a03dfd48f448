package io.weir.rules;

import io.weir.rule.RuleSet;
import java.util.List;
import java.util.Optional;

/**
 * What came of reading rule documents: all problems, and the rule set to use.
 *
 * @param ruleSet there if no problem is an error; with an error only if the last good rules stand
 *     in, see {@link #isLastGood}
 * @param problems errors and warnings, file by file and line by line
 */
public record Loaded(Optional<RuleSet> ruleSet, List<Problem> problems) {
  public Loaded {
    problems = List.copyOf(problems);
    if (ruleSet.isEmpty() && problems.stream().noneMatch(Problem::isError)) {
      throw new IllegalArgumentException("without an error there is a rule set");
    }
  }

  /** Whether the documents have no error. */
  public boolean isValid() {
    return errors().isEmpty();
  }

  /** Whether the documents have an error and {@link #ruleSet} is from before that. */
  public boolean isLastGood() {
    return ruleSet.isPresent() && !isValid();
  }

  public List<Problem> errors() {
    return problems.stream().filter(Problem::isError).toList();
  }

  public List<Problem> warnings() {
    return problems.stream().filter(problem -> !problem.isError()).toList();
  }
}
