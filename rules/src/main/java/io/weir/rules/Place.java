package io.weir.rules;

import io.weir.rules.Problem.Severity;
import java.util.Optional;
import java.util.function.Supplier;

/** Somewhere in a document that problems can be reported about: a file, or one rule in it. */
final class Place {
  private final Problems problems;
  private final String file;
  private final String prefix;

  private Place(Problems problems, String file, String prefix) {
    this.problems = problems;
    this.file = file;
    this.prefix = prefix;
  }

  static Place file(Problems problems, String file) {
    return new Place(problems, file, "");
  }

  /** Something inside this, named in front of every reason: {@code rule payments}. */
  Place within(String what) {
    return new Place(problems, file, prefix + what + ": ");
  }

  String file() {
    return file;
  }

  void error(int line, String reason) {
    problems.add(new Problem(Severity.ERROR, file, line, prefix + reason));
  }

  void warning(int line, String reason) {
    problems.add(new Problem(Severity.WARNING, file, line, prefix + reason));
  }

  /** Whether more problems would still be listed; what only makes them prettier can be left out. */
  boolean isListening() {
    return !problems.isFull();
  }

  /** How many errors there are so far, anywhere. */
  int errors() {
    return problems.errors();
  }

  /** The value, or the reason why there is none as an error. */
  <T> Optional<T> attempt(int line, Supplier<T> value) {
    try {
      return Optional.of(value.get());
    } catch (IllegalArgumentException | ArithmeticException e) {
      error(line, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
