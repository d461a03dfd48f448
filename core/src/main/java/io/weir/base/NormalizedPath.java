package io.weir.base;

import java.nio.charset.StandardCharsets;

/**
 * Normalizes a path, for rules to match and for the gateway to forward.
 *
 * <ul>
 *   <li>Query and fragment are cut off; a backslash is read as a slash.
 *   <li>Matrix parameters ({@code ;x=1}), double slashes and a trailing slash are removed.
 *   <li>Escapes ({@code %} and two hex digits) of unreserved characters (letters, digits, {@code -
 *       . _ ~}) are decoded, once. All other escapes stay, in upper case: {@code %2F}, {@code %5C},
 *       {@code %00}, and {@code %252e} stays {@code %252e}. {@code %3A} stays too and is a
 *       different path from {@code :}, as delimiters may have a meaning for a server.
 *   <li>Then {@code .} and {@code ..} segments are resolved, never above the root.
 *   <li>Characters that are not allowed in a path are encoded.
 * </ul>
 *
 * <p>The gateway {@linkplain #forwarded forwards} the same segments, but keeps the matrix
 * parameters and the trailing slash of the request. Applications need them: many servers redirect
 * {@code /docs} to {@code /docs/}. They cannot evade a rule, as every spelling matches the same
 * rules. Parameters are split off before dot segments are resolved, as servlet containers do, so
 * {@code ..;x} is {@code ..}. A segment that is resolved or empty is dropped with its parameters.
 * So the forwarded path has the same normal form and no dot segments, whether the server knows
 * matrix parameters or not.
 *
 * <p>Both forms are fixed points: normalizing them again changes nothing. A path that is normalized
 * already, as nearly all are, is recognized in one pass and returned unchanged.
 */
public final class NormalizedPath {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private NormalizedPath() {}

  /** The normal form; always starts with a slash. */
  public static String of(String path) {
    return isNormal(path, false) ? path : normalise(path, false);
  }

  /**
   * The normal form with the matrix parameters and the trailing slash of the request. A path that
   * ends in a dot segment ends in a slash after that is resolved (RFC 3986, 5.2.4).
   */
  public static String forwarded(String path) {
    return isNormal(path, true) ? path : normalise(path, true);
  }

  private static boolean isNormal(String path, boolean toForward) {
    int length = path.length();
    if (length == 0 || path.charAt(0) != '/') {
      return false;
    }
    int segmentStart = 1;
    while (segmentStart <= length) {
      int end = endOfName(path, segmentStart);
      int size = end - segmentStart;
      boolean isLast = end == length;
      if (size == 0 ? !(isLast && (toForward || length == 1)) : isDots(path, segmentStart, end)) {
        return false;
      }
      if (toForward && !isLast && path.charAt(end) == ';') {
        end = endOfParameters(path, end);
      }
      if (end < length && path.charAt(end) != '/') {
        return false;
      }
      segmentStart = end + 1;
    }
    return true;
  }

  private static int endOfName(String path, int from) {
    int end = from;
    while (end < path.length() && isPlain(path.charAt(end))) {
      end++;
    }
    return end;
  }

  /** The end of the parameters that can be forwarded unchanged. */
  private static int endOfParameters(String path, int from) {
    int end = from;
    while (end < path.length()) {
      if (isEscape(path, end, path.length())) {
        end += 3;
      } else if (isParameter(path.charAt(end))) {
        end++;
      } else {
        break;
      }
    }
    return end;
  }

  private static boolean isDots(CharSequence path, int from, int to) {
    int size = to - from;
    return (size == 1 || size == 2) && path.charAt(from) == '.' && path.charAt(to - 1) == '.';
  }

  private static String normalise(String path, boolean toForward) {
    StringBuilder out = new StringBuilder(path.length() + 1);
    int end = endOfPath(path);
    boolean dropped = false;
    int i = 0;
    while (i <= end) {
      int from = i;
      while (i < end && path.charAt(i) != '/' && path.charAt(i) != '\\') {
        i++;
      }
      dropped = !appendSegment(path, from, i, toForward, out);
      i++;
    }
    if (out.isEmpty() || (dropped && toForward)) {
      out.append('/');
    }
    return out.toString();
  }

  private static int endOfPath(String path) {
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) == '?' || path.charAt(i) == '#') {
        return i;
      }
    }
    return path.length();
  }

  /**
   * Appends a segment. Returns false if nothing is appended: the segment is empty or a dot segment.
   */
  private static boolean appendSegment(
      String path, int from, int to, boolean toForward, StringBuilder out) {
    int start = out.length();
    out.append('/');
    int i = from;
    while (i < to && path.charAt(i) != ';') {
      if (isEscape(path, i, to)) {
        int value = hex(path, i + 1) * 16 + hex(path, i + 2);
        if (isUnreserved((char) value)) {
          out.append((char) value);
        } else {
          appendEncoded(value, out);
        }
        i += 3;
      } else {
        i += appendCharacter(path, i, to, out);
      }
    }
    if (isResolved(start, out)) {
      return false;
    }
    if (toForward) {
      appendParameters(path, i, to, out);
    }
    return true;
  }

  /** Appends parameters unchanged, except that characters not allowed in a path are encoded. */
  private static void appendParameters(String path, int from, int to, StringBuilder out) {
    int i = from;
    while (i < to) {
      if (isEscape(path, i, to)) {
        out.append(path, i, i + 3);
        i += 3;
      } else if (path.charAt(i) == ';') {
        out.append(';');
        i++;
      } else {
        i += appendCharacter(path, i, to, out);
      }
    }
  }

  /** Returns the number of chars consumed: two for a surrogate pair. */
  private static int appendCharacter(String path, int i, int to, StringBuilder out) {
    char c = path.charAt(i);
    if (isPlain(c)) {
      out.append(c);
    } else if (Character.isHighSurrogate(c)
        && i + 1 < to
        && Character.isLowSurrogate(path.charAt(i + 1))) {
      appendUtf8(path.substring(i, i + 2), out);
      return 2;
    } else {
      appendUtf8(String.valueOf(c), out);
    }
    return 1;
  }

  /** Drops an empty or {@code .} segment, and for {@code ..} the one before it as well. */
  private static boolean isResolved(int start, StringBuilder out) {
    int size = out.length() - start - 1;
    if (size > 0 && !isDots(out, start + 1, out.length())) {
      return false;
    }
    out.setLength(start);
    if (size == 2) {
      out.setLength(Math.max(0, out.lastIndexOf("/")));
    }
    return true;
  }

  private static void appendUtf8(String text, StringBuilder out) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      appendEncoded(b & 0xff, out);
    }
  }

  private static void appendEncoded(int value, StringBuilder out) {
    out.append('%').append(HEX[value >>> 4]).append(HEX[value & 15]);
  }

  private static boolean isEscape(String path, int i, int to) {
    return path.charAt(i) == '%' && i + 2 < to && hex(path, i + 1) >= 0 && hex(path, i + 2) >= 0;
  }

  private static int hex(String path, int i) {
    char c = path.charAt(i);
    return c < 128 ? Character.digit(c, 16) : -1;
  }

  private static boolean isUnreserved(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  private static boolean isParameter(char c) {
    return isPlain(c) || c == ';';
  }

  /**
   * Whether a character needs no encoding in a segment: unreserved, or without a meaning of its
   * own.
   */
  private static boolean isPlain(char c) {
    return isUnreserved(c)
        || c == '!'
        || c == '$'
        || c == '&'
        || c == '\''
        || c == '('
        || c == ')'
        || c == '*'
        || c == '+'
        || c == ','
        || c == '='
        || c == ':'
        || c == '@';
  }
}
