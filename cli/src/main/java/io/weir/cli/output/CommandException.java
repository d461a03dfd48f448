package io.weir.cli.output;

import java.util.List;

/** A command has failed; its reasons are printed to standard error, one line each. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  public CommandException(String line) {
    this(List.of(line));
  }

  public CommandException(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = lines;
  }

  public List<String> lines() {
    return lines;
  }
}
