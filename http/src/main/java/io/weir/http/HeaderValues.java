package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * The values that a template can tell of a limit; each is written down once, however many headers
 * tell it.
 */
final class HeaderValues {
  /** The largest whole number of a structured field (RFC 9651). */
  private static final long MOST = 999_999_999_999_999L;

  private final String policy;
  private final long limit;
  private final long window;
  private final long remaining;
  private final long reset;
  private final long resetAt;
  private final @Nullable String[] texts = new String[HeaderValue.COUNT];

  /**
   * What is told of a limit.
   *
   * @param window seconds; -1 if it is less than one, or time brings nothing back
   * @param reset seconds; -1 if nobody knows
   * @param resetAt seconds since 1970; -1 if nobody knows
   */
  HeaderValues(String policy, long limit, long window, long remaining, long reset, long resetAt) {
    this.policy = policy;
    this.limit = limit;
    this.window = window;
    this.remaining = remaining;
    this.reset = reset;
    this.resetAt = resetAt;
  }

  /** Whether what does not change from call to call is the same: it is about the same limit. */
  boolean hasSameLimitAs(HeaderValues other) {
    return policy.equals(other.policy) && limit == other.limit && window == other.window;
  }

  /** A value as text, or null if nobody knows it. */
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
    return number < 0 ? null : Long.toString(Math.min(MOST, number));
  }

  /** A text that can stand between the quotes of a structured field. */
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

  /** The names that templates use. */
  enum HeaderValue {
    POLICY,
    LIMIT,
    WINDOW,
    REMAINING,
    RESET,
    RESET_AT;

    private static final int COUNT = values().length;

    /** Whether it is the same for every call that meets the limit. */
    boolean isFixed() {
      return this == POLICY || this == LIMIT || this == WINDOW;
    }
  }
}
