package io.weir.rules.tree;

import io.weir.rules.Problem;
import io.weir.rules.Problem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects problems while reading continues, so that all of them are reported at once.
 *
 * <p>After {@link #MAX_PROBLEMS} problems the rest is only counted: megabytes of garbage must not
 * become gigabytes of messages.
 */
public final class Problems {
  static final int MAX_PROBLEMS = 1000;

  private final List<Problem> list = new ArrayList<>();
  private int errors;
  private int unlisted;

  public void add(Problem problem) {
    errors += problem.isError() ? 1 : 0;
    if (isFull()) {
      unlisted++;
    } else {
      list.add(problem);
    }
  }

  boolean isFull() {
    return list.size() >= MAX_PROBLEMS;
  }

  /** Number of errors so far. */
  public int errors() {
    return errors;
  }

  /** All problems, file by file in the order the files were read, then line by line. */
  public List<Problem> sorted(List<String> files) {
    List<Problem> sorted = new ArrayList<>(list);
    sorted.sort(
        Comparator.<Problem>comparingInt(p -> files.indexOf(p.file()))
            .thenComparingInt(Problem::line));
    if (unlisted > 0) {
      Problem last = sorted.get(sorted.size() - 1);
      sorted.add(
          new Problem(
              Severity.ERROR, last.file(), last.line(), "and " + unlisted + " more problems"));
    }
    return List.copyOf(sorted);
  }
}
