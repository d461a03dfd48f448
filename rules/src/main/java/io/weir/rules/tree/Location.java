package io.weir.rules.tree;

import io.weir.rules.Problem;
import io.weir.rules.Problem.Severity;
import io.weir.rules.text.Messages;
import java.util.Optional;
import java.util.function.Supplier;

/** A location in a document for problem reports: a file, or one rule in it. */
public final class Location {
  private final Problems problems;
  private final String file;
  private final String prefix;
  private final boolean redacted;

  private Location(Problems problems, String file, String prefix, boolean redacted) {
    this.problems = problems;
    this.file = file;
    this.prefix = prefix;
    this.redacted = redacted;
  }

  public static Location file(Problems problems, String file) {
    return new Location(problems, file, "", false);
  }

  /**
   * A file that may not be a rule document: a link, for example, to a file that readers of the
   * problems may not read. Messages quote nothing from it.
   */
  public static Location unrecognised(Problems problems, String file) {
    return new Location(problems, file, "", true);
  }

  /** A part of this location, named in front of every reason: {@code rule payments}. */
  public Location within(String what) {
    return new Location(problems, file, prefix + what + ": ", redacted);
  }

  public String file() {
    return file;
  }

  public void error(int line, String reason) {
    problems.add(new Problem(Severity.ERROR, file, line, shown(prefix + reason)));
  }

  public void warning(int line, String reason) {
    problems.add(new Problem(Severity.WARNING, file, line, shown(prefix + reason)));
  }

  private String shown(String reason) {
    return redacted ? Messages.withoutQuotes(reason) : reason;
  }

  /**
   * Whether more problems would still be listed; if not, costly details of messages can be skipped.
   */
  public boolean hasRoomForProblems() {
    return !problems.isFull();
  }

  /** Number of errors so far, in all files. */
  public int errors() {
    return problems.errors();
  }

  /** The value, or empty after reporting the exception's message as an error. */
  public <T> Optional<T> attempt(int line, Supplier<T> value) {
    try {
      return Optional.of(value.get());
    } catch (IllegalArgumentException | ArithmeticException e) {
      error(line, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
