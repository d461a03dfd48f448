package io.weir.rules;

import io.weir.rules.text.Messages;

/**
 * One problem in a rule document, with its location.
 *
 * @param severity an error rejects the whole rule set, a warning does not
 * @param file as the user named it
 * @param line counted from 1; 0 for the file as a whole, such as a missing file
 * @param reason message that begins with the location in the document: {@code rule payments: …}
 */
public record Problem(Severity severity, String file, int line, String reason) {
  /** Whether the problem rejects the document. */
  public enum Severity {
    ERROR,
    WARNING
  }

  /** Control characters are escaped, so that document content cannot control a terminal. */
  public Problem {
    file = Messages.printable(file);
    reason = Messages.printable(reason);
    if (line < 0) {
      throw new IllegalArgumentException("lines are counted from 1, not " + line);
    }
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /** {@code file:line: reason}, or {@code file:line: warning: reason}. */
  @Override
  public String toString() {
    String location = line == 0 ? file : file + ":" + line;
    return location + ": " + (isError() ? "" : "warning: ") + reason;
  }
}
