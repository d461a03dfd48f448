package io.weir.rules;

import java.util.List;
import java.util.Optional;

/**
 * The result of reading files: all problems, and the value to use.
 *
 * @param value present if no problem is an error; with an error, present only if it is the last
 *     valid value, see {@link #isLastGood}
 * @param problems errors and warnings, file by file and line by line
 * @param <T> the content of the files: a rule set, or limits for Envoy
 */
public record LoadResult<T>(Optional<T> value, List<Problem> problems) {
  public LoadResult {
    problems = List.copyOf(problems);
    if (value.isEmpty() && problems.stream().noneMatch(Problem::isError)) {
      throw new IllegalArgumentException("without an error there is a value");
    }
  }

  /** Whether the files have no error. */
  public boolean isValid() {
    return errors().isEmpty();
  }

  /** Whether the files have an error and {@link #value} is the last valid one from before it. */
  public boolean isLastGood() {
    return value.isPresent() && !isValid();
  }

  public List<Problem> errors() {
    return problems.stream().filter(Problem::isError).toList();
  }

  public List<Problem> warnings() {
    return problems.stream().filter(problem -> !problem.isError()).toList();
  }
}
