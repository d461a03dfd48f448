package io.weir.rules.tree;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Interprets scalars by YAML 1.1, the version that {@code envoyproxy/ratelimit} files use: {@code
 * yes} is a flag and {@code 1_000} a number.
 */
public final class YamlScalars {
  private static final Set<String> TRUE = Set.of("y", "yes", "on", "true");
  private static final Set<String> FALSE = Set.of("n", "no", "off", "false");
  private static final Pattern FRACTION =
      Pattern.compile("[-+]?(\\.[0-9]+|[0-9][0-9_]*\\.?[0-9]*)([eE][-+]?[0-9]+)?");
  private static final Pattern NOT_FINITE =
      Pattern.compile("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");

  private YamlScalars() {}

  public static boolean isTrue(String text) {
    return isWord(text, TRUE);
  }

  public static boolean isFalse(String text) {
    return isWord(text, FALSE);
  }

  /** In lower case, upper case, or with a capital. */
  private static boolean isWord(String text, Set<String> words) {
    String lower = text.toLowerCase(Locale.ROOT);
    return words.contains(lower)
        && (text.equals(lower)
            || text.equals(text.toUpperCase(Locale.ROOT))
            || text.substring(1).equals(lower.substring(1)));
  }

  /** A number that is not whole, or too large for a whole number. */
  public static boolean isFraction(String text) {
    return whole(text).isEmpty()
        && (FRACTION.matcher(text).matches() || NOT_FINITE.matcher(text).matches());
  }

  /** A whole number: decimal, or hexadecimal, octal or binary by its prefix. */
  public static OptionalLong whole(String text) {
    String digits = text.replace("_", "");
    boolean negative = digits.startsWith("-");
    if (negative || digits.startsWith("+")) {
      digits = digits.substring(1);
    }
    if (digits.isEmpty() || !Character.isDigit(digits.charAt(0))) {
      return OptionalLong.empty();
    }
    int radix = radix(digits);
    int prefix = radix == 10 ? 0 : Character.isDigit(digits.charAt(1)) ? 1 : 2;
    try {
      return OptionalLong.of(
          Long.parseLong((negative ? "-" : "") + digits.substring(prefix), radix));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static int radix(String digits) {
    if (digits.length() < 2 || digits.charAt(0) != '0') {
      return 10;
    }
    return switch (digits.charAt(1)) {
      case 'x', 'X' -> 16;
      case 'b', 'B' -> 2;
      default -> 8;
    };
  }
}
