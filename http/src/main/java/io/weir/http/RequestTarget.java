package io.weir.http;

import io.weir.base.NormalizedPath;

/**
 * A request target, split for matching and forwarding.
 *
 * @param path as sent, except that bytes beyond ASCII are percent-encoded; {@link io.weir.Call}
 *     normalises it
 * @param query with its question mark; empty if there is none
 * @param ofServer whether the target is {@code *}, which addresses the server as a whole (OPTIONS)
 *     and counts as {@code /}
 */
public record RequestTarget(String path, String query, boolean ofServer) {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  /**
   * Splits a request target, which may contain scheme and host.
   *
   * @param text one character for each byte, as received; bytes beyond ASCII are percent-encoded,
   *     so that {@code é} has one form, encoded or not
   */
  public static RequestTarget of(String text) {
    if (text.equals("*")) {
      return new RequestTarget("/", "", true);
    }
    int from = startOfPath(text);
    int end = text.indexOf('#', from);
    end = end < 0 ? text.length() : end;
    int question = text.indexOf('?', from);
    int path = question < 0 || question > end ? end : question;
    return new RequestTarget(
        path == from ? "/" : encoded(text.substring(from, path)),
        encoded(text.substring(path, end)),
        false);
  }

  private static String encoded(String text) {
    int at = 0;
    while (at < text.length() && !isHighByte(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, at);
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (isHighByte(c)) {
        out.append('%').append(HEX[c >>> 4]).append(HEX[c & 15]);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static boolean isHighByte(char c) {
    return c >= 0x80 && c <= 0xff;
  }

  /**
   * Whether a target states its path in full. A target that is forwarded unchanged must. In {@code
   * http://host:?x/a} the path is {@code /a} for a proxy that prepended the host itself, and empty
   * otherwise; the target does not show which. And some servers take the part after a {@code #} for
   * a part of the path.
   */
  public static boolean isWhole(String text) {
    int from = startOfPath(text);
    return text.equals("*")
        || (from < text.length() && text.charAt(from) == '/' && text.indexOf('#') < 0);
  }

  /** Index after {@code http://host} if the target begins so, else 0. */
  private static int startOfPath(String text) {
    int scheme = text.startsWith("/") ? -1 : text.indexOf("://");
    if (scheme < 0) {
      return 0;
    }
    int at = scheme + 3;
    while (at < text.length() && "/?#".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  /**
   * Whether servers disagree on the path: it contains an encoded slash, backslash or NUL, a dot
   * segment before an encoded semicolon, or a character that is invalid in a target, or it does not
   * begin with a slash. Some servers would see another path than the one we match.
   */
  public boolean isAmbiguous() {
    if (!path.startsWith("/")) {
      return true;
    }
    for (int i = path.indexOf('%'); i >= 0; i = path.indexOf('%', i + 1)) {
      if (isEscaped(path, i, '2', 'f')
          || isEscaped(path, i, '5', 'c')
          || isEscaped(path, i, '0', '0')
          || (isEscaped(path, i, '3', 'b') && isBehindDots(path, i))) {
        return true;
      }
    }
    return !isPlain(path) || !isPlain(query);
  }

  private static boolean isEscaped(String path, int at, char first, char second) {
    return at + 2 < path.length()
        && path.charAt(at + 1) == first
        && Character.toLowerCase(path.charAt(at + 2)) == second;
  }

  /**
   * Whether the segment up to here is {@code .} or {@code ..}. A proxy that decodes {@code ..%3B}
   * turns it into a dot segment for a servlet container.
   */
  private static boolean isBehindDots(String path, int end) {
    int at = end;
    int dots = 0;
    while (dots < 3 && at > 0) {
      if (path.charAt(at - 1) == '.') {
        at--;
      } else if (at > 3 && path.charAt(at - 3) == '%' && isEscaped(path, at - 3, '2', 'e')) {
        at -= 3;
      } else {
        break;
      }
      dots++;
    }
    char before = path.charAt(at - 1); // a path begins with a slash
    return (dots == 1 || dots == 2) && (before == '/' || before == '\\');
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) == 0x7f) {
        return false;
      }
    }
    return true;
  }

  /**
   * The target to send upstream: the path that was matched, with the matrix parameters and the
   * trailing slash of the request, and the query.
   */
  public String forwarded(String normalPath) {
    if (ofServer) {
      return "*";
    }
    String sent = normalPath.equals(path) ? path : NormalizedPath.forwarded(path);
    return query.isEmpty() ? sent : sent + query;
  }
}
