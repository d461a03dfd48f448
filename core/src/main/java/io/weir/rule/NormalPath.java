package io.weir.rule;

import java.nio.charset.StandardCharsets;

/**
 * The one form of a path: what rules match is what gateways forward.
 *
 * <ul>
 *   <li>Query and fragment are cut off; a backslash is read as a slash.
 *   <li>Matrix parameters ({@code ;x=1}), double slashes and a trailing slash are removed.
 *   <li>{@code %} and two hex digits that stand for an unreserved character (letters, digits,
 *       {@code - . _ ~}) are decoded, once; all others stay, in upper case. So {@code %2F}, {@code
 *       %5C} and {@code %00} stay encoded, and {@code %252e} stays {@code %252e}. So does {@code
 *       %3A}, which is another path than {@code :}, as delimiters may mean something to a server.
 *   <li>Then {@code .} and {@code ..} segments are resolved, never above the root.
 *   <li>Characters that have no place in a path are encoded.
 * </ul>
 *
 * <p>The form is a fixed point: normalising it again changes nothing. A path that is normal
 * already, as nearly all are, is recognised in one pass and returned as it is.
 */
public final class NormalPath {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private NormalPath() {}

  /** The normal form; always starts with a slash. */
  public static String of(String path) {
    return isNormal(path) ? path : normalise(path);
  }

  private static boolean isNormal(String path) {
    int length = path.length();
    if (length == 0 || path.charAt(0) != '/') {
      return false;
    }
    int segmentStart = 1;
    for (int i = 1; i <= length; i++) {
      char c = i < length ? path.charAt(i) : '/';
      if (c == '/') {
        int size = i - segmentStart;
        boolean dots =
            size > 0 && size <= 2 && path.charAt(segmentStart) == '.' && path.charAt(i - 1) == '.';
        if (dots || (size == 0 && length > 1)) {
          return false;
        }
        segmentStart = i + 1;
      } else if (!isPlain(c)) {
        return false;
      }
    }
    return true;
  }

  private static String normalise(String path) {
    StringBuilder out = new StringBuilder(path.length() + 1);
    int end = endOfPath(path);
    int i = 0;
    while (i <= end) {
      int from = i;
      while (i < end && path.charAt(i) != '/' && path.charAt(i) != '\\') {
        i++;
      }
      appendSegment(path, from, i, out);
      i++;
    }
    return out.isEmpty() ? "/" : out.toString();
  }

  private static int endOfPath(String path) {
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) == '?' || path.charAt(i) == '#') {
        return i;
      }
    }
    return path.length();
  }

  private static void appendSegment(String path, int from, int to, StringBuilder out) {
    int start = out.length();
    out.append('/');
    for (int i = from; i < to && path.charAt(i) != ';'; i++) {
      char c = path.charAt(i);
      if (c == '%' && i + 2 < to && hex(path, i + 1) >= 0 && hex(path, i + 2) >= 0) {
        int value = hex(path, i + 1) * 16 + hex(path, i + 2);
        if (isUnreserved((char) value)) {
          out.append((char) value);
        } else {
          appendEncoded(value, out);
        }
        i += 2;
      } else if (isPlain(c)) {
        out.append(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < to
          && Character.isLowSurrogate(path.charAt(i + 1))) {
        appendUtf8(path.substring(i, i + 2), out);
        i++;
      } else {
        appendUtf8(String.valueOf(c), out);
      }
    }
    resolveDots(start, out);
  }

  /** Drops an empty or {@code .} segment, and for {@code ..} the one before it as well. */
  private static void resolveDots(int start, StringBuilder out) {
    int size = out.length() - start - 1;
    boolean dot = size == 1 && out.charAt(start + 1) == '.';
    boolean dotDot = size == 2 && out.charAt(start + 1) == '.' && out.charAt(start + 2) == '.';
    if (size == 0 || dot || dotDot) {
      out.setLength(start);
    }
    if (dotDot) {
      out.setLength(Math.max(0, out.lastIndexOf("/")));
    }
  }

  private static void appendUtf8(String text, StringBuilder out) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      appendEncoded(b & 0xff, out);
    }
  }

  private static void appendEncoded(int value, StringBuilder out) {
    out.append('%').append(HEX[value >>> 4]).append(HEX[value & 15]);
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

  /** Unreserved characters, and those with no meaning of their own within a segment. */
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
