package io.weir.rules.text;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Helpers for messages: quoting, lists, and the nearest known word. */
public final class Messages {
  private static final int MAX_QUOTE_LENGTH = 60;
  private static final int MAX_GUESS_LENGTH = 40;

  private Messages() {}

  /** The text in quotes, shortened if it is long. */
  public static String quote(String text) {
    return "'" + shorten(text) + "'";
  }

  public static String shorten(String text) {
    return text.length() <= MAX_QUOTE_LENGTH ? text : text.substring(0, MAX_QUOTE_LENGTH) + "…";
  }

  /** The message without its quoted parts and without details that a YAML parser adds. */
  public static String withoutQuotes(String text) {
    int first = text.indexOf('\'');
    int last = text.lastIndexOf('\'');
    String bare = first < last ? text.substring(0, first) + "'…'" + text.substring(last + 1) : text;
    int details = bare.indexOf("this is not YAML: ");
    return details < 0 ? bare : bare.substring(0, details) + "this is not YAML";
  }

  /** The same text with control characters and lone surrogates escaped. */
  public static String printable(String text) {
    if (text.codePoints().noneMatch(Messages::mustEscape)) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (mustEscape(c)) {
                out.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.toString();
  }

  private static boolean mustEscape(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  /** {@code a, b and c}. */
  public static String list(Collection<String> words) {
    StringBuilder out = new StringBuilder();
    int left = words.size();
    for (String word : words) {
      left--;
      out.append(word).append(left > 1 ? ", " : left == 1 ? " and " : "");
    }
    return out.toString();
  }

  /** The known word closest to a misspelled one. */
  public static Optional<String> nearest(String word, Collection<String> known) {
    if (word.length() > MAX_GUESS_LENGTH) {
      return Optional.empty();
    }
    String lower = word.toLowerCase(Locale.ROOT).replace('-', '_');
    Optional<String> best = Optional.empty();
    int least = 1 + Math.max(1, word.length() / 3);
    for (String candidate : known) {
      int distance = distance(lower, candidate.replace('-', '_'));
      if (distance < least) {
        least = distance;
        best = Optional.of(candidate);
      }
    }
    return best;
  }

  /** {@code ; did you mean 'burst'?}, or an empty string. */
  public static String didYouMean(String word, Collection<String> known) {
    return nearest(word, known).map(guess -> "; did you mean '" + guess + "'?").orElse("");
  }

  /** Edit distance: letters added, removed, changed or swapped with their neighbour. */
  public static int distance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int least = cost[i - 1][j - 1] + (same ? 0 : 1);
        least = Math.min(least, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
      }
    }
    return cost[a.length()][b.length()];
  }
}
