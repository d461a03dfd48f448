package io.weir.server.http;

import io.weir.http.RequestTarget;

/** What a request asks for, where servers agree on it. */
public final class UnambiguousTarget {
  private UnambiguousTarget() {}

  /**
   * Takes a request target apart that somebody else sends on as it stands.
   *
   * @throws HttpProblemException if whoever gets it may see another path in it than the rules do
   */
  public static RequestTarget parseForwarded(String text, String method) {
    if (!RequestTarget.isWhole(text)) {
      throw unclear();
    }
    return of(text, method);
  }

  /**
   * Takes a request target apart.
   *
   * @throws HttpProblemException if the server behind us may see another path in it than the rules
   *     do
   */
  public static RequestTarget of(String text, String method) {
    RequestTarget target = RequestTarget.of(text);
    boolean wanted = !target.ofServer() || method.equals("OPTIONS");
    if (!wanted || target.isAmbiguous()) {
      throw unclear();
    }
    return target;
  }

  private static HttpProblemException unclear() {
    return HttpProblemException.badRequest(
        "servers do not agree on what this path is: it does not begin with a slash, or has an"
            + " encoded slash, backslash or NUL, a dot segment with an encoded semicolon, or"
            + " a character that does not belong there");
  }
}
