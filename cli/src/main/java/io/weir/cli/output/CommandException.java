package io.weir.cli.output;

import java.util.List;

/** A command has failed; its reasons are printed to standard error, one line each. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Exit code of a command that failed. */
  public static final int ERROR = 2;

  /** Exit code of a command whose change was refused, or whose answer is negative. */
  public static final int REFUSED = 1;

  private final transient List<String> lines;
  private final int exitCode;

  public CommandException(String line) {
    this(List.of(line));
  }

  public CommandException(List<String> lines) {
    this(ERROR, lines);
  }

  private CommandException(int exitCode, List<String> lines) {
    super(String.join("\n", lines));
    this.lines = lines;
    this.exitCode = exitCode;
  }

  /** The server refused the change, or the answer is negative. */
  public static CommandException refused(List<String> lines) {
    return new CommandException(REFUSED, lines);
  }

  public List<String> lines() {
    return lines;
  }

  public int exitCode() {
    return exitCode;
  }
}
