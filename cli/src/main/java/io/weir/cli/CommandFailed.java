package io.weir.cli;

import java.util.List;

/** A command that cannot do what it was asked; the reasons go to standard error, one line each. */
final class CommandFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  CommandFailed(String line) {
    this(List.of(line));
  }

  CommandFailed(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = lines;
  }

  List<String> lines() {
    return lines;
  }
}
