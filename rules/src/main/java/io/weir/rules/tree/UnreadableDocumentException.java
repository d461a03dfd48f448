package io.weir.rules.tree;

/** Ends the reading of one file: it is not a document at all, or one that is not safe to read. */
public final class UnreadableDocumentException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int line;

  public UnreadableDocumentException(int line, String reason) {
    super(reason);
    this.line = Math.max(1, line);
  }

  public int line() {
    return line;
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
