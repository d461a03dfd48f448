package io.weir.http;

/**
 * What a request asks for, taken apart for matching and forwarding.
 *
 * @param path as it was sent, for {@link io.weir.Call} to bring into its normal form
 * @param query with its question mark; empty if there is none
 * @param ofServer whether it is {@code *}: the server as a whole is asked, by OPTIONS, and counts
 *     as {@code /}
 */
public record Target(String path, String query, boolean ofServer) {
  /** Takes a request target apart, also one that names scheme and host. */
  public static Target of(String text) {
    if (text.equals("*")) {
      return new Target("/", "", true);
    }
    int from = startOfPath(text);
    int end = text.indexOf('#', from);
    end = end < 0 ? text.length() : end;
    int question = text.indexOf('?', from);
    int path = question < 0 || question > end ? end : question;
    return new Target(
        path == from ? "/" : text.substring(from, path), text.substring(path, end), false);
  }

  /** Past {@code http://host} if the target begins so. */
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
   * Whether no two servers agree on what is asked for: with an encoded slash, backslash or NUL in
   * the path, without a slash at its beginning, or with a character that has no place in a target,
   * some would see another path than we match.
   */
  public boolean isAmbiguous() {
    if (!path.startsWith("/")) {
      return true;
    }
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) == '%' && i + 2 < path.length() && isSeparator(path, i + 1)) {
        return true;
      }
    }
    return !isPlain(path) || !isPlain(query);
  }

  private static boolean isSeparator(String path, int at) {
    char first = path.charAt(at);
    char second = Character.toLowerCase(path.charAt(at + 1));
    return (first == '2' && second == 'f')
        || (first == '5' && second == 'c')
        || (first == '0' && second == '0');
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) == 0x7f) {
        return false;
      }
    }
    return true;
  }

  /** What an upstream is sent: the form of the path that was matched, and the query as it came. */
  public String forwarded(String normalPath) {
    if (ofServer) {
      return "*";
    }
    return query.isEmpty() ? normalPath : normalPath + query;
  }
}
