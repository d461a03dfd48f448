package io.weir.rules.tree;

import io.weir.rules.Problem;
import io.weir.rules.Problem.Severity;
import io.weir.rules.text.Messages;
import java.util.Optional;
import java.util.function.Supplier;

/** Somewhere in a document that problems can be reported about: a file, or one rule in it. */
public final class Location {
  private final Problems problems;
  private final String file;
  private final String prefix;
  private final boolean discreet;

  private Location(Problems problems, String file, String prefix, boolean discreet) {
    this.problems = problems;
    this.file = file;
    this.prefix = prefix;
    this.discreet = discreet;
  }

  public static Location file(Problems problems, String file) {
    return new Location(problems, file, "", false);
  }

  /**
   * A file that may not be what it should be: a link, for example, to one that whoever reads the
   * problems may not read. Nothing that stands in it is quoted.
   */
  public static Location unrecognised(Problems problems, String file) {
    return new Location(problems, file, "", true);
  }

  /** Something inside this, named in front of every reason: {@code rule payments}. */
  public Location within(String what) {
    return new Location(problems, file, prefix + what + ": ", discreet);
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
    return discreet ? Messages.withoutQuotes(reason) : reason;
  }

  /** Whether more problems would still be listed; what only makes them prettier can be left out. */
  public boolean hasRoomForProblems() {
    return !problems.isFull();
  }

  /** How many errors there are so far, anywhere. */
  public int errors() {
    return problems.errors();
  }

  /** The value, or the reason why there is none as an error. */
  public <T> Optional<T> attempt(int line, Supplier<T> value) {
    try {
      return Optional.of(value.get());
    } catch (IllegalArgumentException | ArithmeticException e) {
      error(line, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
