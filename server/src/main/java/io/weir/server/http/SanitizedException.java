package io.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * An error whose message is safe to log. Messages may quote client input of any length, with line
 * breaks that could forge log lines.
 */
final class SanitizedException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_LENGTH = 300;
  private static final int MAX_DEPTH = 10;

  private SanitizedException(Throwable error, int depth) {
    super(error.getClass().getName() + ": " + plain(error.getMessage()), cause(error, depth));
    setStackTrace(error.getStackTrace());
  }

  private static @Nullable Throwable cause(Throwable error, int depth) {
    Throwable cause = error.getCause();
    return cause == null || depth == MAX_DEPTH ? null : new SanitizedException(cause, depth + 1);
  }

  /**
   * The error itself if its messages are safe; otherwise a copy with escaped messages and without
   * suppressed exceptions.
   */
  static Throwable of(Throwable error) {
    Throwable at = error;
    for (int depth = 0; at != null; depth++) {
      String message = at.getMessage();
      boolean isPlain = message == null || message.equals(plain(message));
      if (depth > MAX_DEPTH || !isPlain || at.getSuppressed().length > 0) {
        return new SanitizedException(error, 0);
      }
      at = at.getCause();
    }
    return error;
  }

  /** The text in one line of bounded length. */
  private static String plain(@Nullable String text) {
    if (text == null) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length() && i < MAX_LENGTH; i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return text.length() > MAX_LENGTH ? out + "…" : out.toString();
  }
}
