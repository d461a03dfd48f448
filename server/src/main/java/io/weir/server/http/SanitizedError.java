package io.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * An error in a form that can be logged. What it says may quote a stranger, at any length and with
 * line breaks by which a log could be made to tell something else.
 */
final class SanitizedError extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int LONGEST = 300;
  private static final int DEEPEST = 10;

  private SanitizedError(Throwable error, int depth) {
    super(error.getClass().getName() + ": " + plain(error.getMessage()), cause(error, depth));
    setStackTrace(error.getStackTrace());
  }

  private static @Nullable Throwable cause(Throwable error, int depth) {
    Throwable cause = error.getCause();
    return cause == null || depth == DEEPEST ? null : new SanitizedError(cause, depth + 1);
  }

  /**
   * The error itself if there is nothing in what it says, else one like it, without what was
   * suppressed on its way.
   */
  static Throwable of(Throwable error) {
    Throwable at = error;
    for (int depth = 0; at != null; depth++) {
      String message = at.getMessage();
      boolean isPlain = message == null || message.equals(plain(message));
      if (depth > DEEPEST || !isPlain || at.getSuppressed().length > 0) {
        return new SanitizedError(error, 0);
      }
      at = at.getCause();
    }
    return error;
  }

  /** A text in one line that is not too long. */
  private static String plain(@Nullable String text) {
    if (text == null) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length() && i < LONGEST; i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return text.length() > LONGEST ? out + "…" : out.toString();
  }
}
