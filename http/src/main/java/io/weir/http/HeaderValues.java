package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * The values of a limit that templates can use. Each is formatted once, even if several headers use
 * it.
 */
final class HeaderValues {
  /** The largest whole number of a structured field (RFC 9651). */
  private static final long MAX_NUMBER = 999_999_999_999_999L;

  private final String policy;
  private final long limit;
  private final long window;
  private final long remaining;
  private final long reset;
  private final long resetAt;
  private final @Nullable String[] texts = new String[HeaderValue.COUNT];

  /**
   * The values of a limit.
   *
   * @param window seconds; -1 if it is shorter than one second, or the limit does not refill with
   *     time
   * @param reset seconds; -1 if unknown
   * @param resetAt seconds since 1970; -1 if unknown
   */
  HeaderValues(String policy, long limit, long window, long remaining, long reset, long resetAt) {
    this.policy = policy;
    this.limit = limit;
    this.window = window;
    this.remaining = remaining;
    this.reset = reset;
    this.resetAt = resetAt;
  }

  /** Whether the values that do not change from call to call are equal: it is the same limit. */
  boolean hasSameLimitAs(HeaderValues other) {
    return policy.equals(other.policy) && limit == other.limit && window == other.window;
  }

  /** A value as text; null if unknown. */
  @Nullable String get(HeaderValue value) {
    String known = texts[value.ordinal()];
    if (known == null) {
      known = write(value);
      texts[value.ordinal()] = known;
    }
    return known;
  }

  private @Nullable String write(HeaderValue value) {
    return switch (value) {
      case POLICY -> quotable(policy);
      case LIMIT -> text(limit);
      case WINDOW -> text(window);
      case REMAINING -> text(remaining);
      case RESET -> text(reset);
      case RESET_AT -> text(resetAt);
    };
  }

  private static @Nullable String text(long number) {
    return number < 0 ? null : Long.toString(Math.min(MAX_NUMBER, number));
  }

  /** The text escaped for a quoted string of a structured field. */
  private static String quotable(String text) {
    StringBuilder out = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
      if (!plain && out == null) {
        out = new StringBuilder(text.length() + 8).append(text, 0, i);
      }
      if (out != null) {
        if (plain) {
          out.append(c);
        } else if (c == '"' || c == '\\') {
          out.append('\\').append(c);
        } else {
          out.append('_');
        }
      }
    }
    return out == null ? text : out.toString();
  }

  /** Names of the placeholders in templates. */
  enum HeaderValue {
    POLICY,
    LIMIT,
    WINDOW,
    REMAINING,
    RESET,
    RESET_AT;

    private static final int COUNT = values().length;

    /** Whether the value is the same for every call that meets the limit. */
    boolean isFixed() {
      return this == POLICY || this == LIMIT || this == WINDOW;
    }
  }
}
