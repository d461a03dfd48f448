package io.weir.rules;

/** Ends the reading of one file: it is not a document at all, or one that is not safe to read. */
final class Unreadable extends Exception {
  private static final long serialVersionUID = 1L;

  private final int line;

  Unreadable(int line, String reason) {
    super(reason);
    this.line = Math.max(1, line);
  }

  int line() {
    return line;
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
