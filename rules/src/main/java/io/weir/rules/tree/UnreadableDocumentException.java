package io.weir.rules.tree;

/** A file cannot be parsed, or exceeds a safety cap. */
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
