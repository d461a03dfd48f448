package io.weir.rules;

import io.weir.rules.text.Messages;

/**
 * One thing that is wrong with a rule document, and where.
 *
 * @param severity an error keeps the whole set from being used, a warning does not
 * @param file as the user named it
 * @param line counted from 1; 0 for the file as a whole, such as one that is not there
 * @param reason in words, beginning with the place in the document: {@code rule payments: …}
 */
public record Problem(Severity severity, String file, int line, String reason) {
  /** How bad it is. */
  public enum Severity {
    ERROR,
    WARNING
  }

  /** Control characters are escaped: what a document holds must not reach a terminal as it is. */
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
    String place = line == 0 ? file : file + ":" + line;
    return place + ": " + (isError() ? "" : "warning: ") + reason;
  }
}
