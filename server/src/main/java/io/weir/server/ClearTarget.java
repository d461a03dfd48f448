package io.weir.server;

import io.weir.http.Target;

/** What a request asks for, where servers agree on it. */
final class ClearTarget {
  private ClearTarget() {}

  /**
   * Takes a request target apart that somebody else sends on as it stands.
   *
   * @throws HttpProblem if whoever gets it may see another path in it than the rules do
   */
  static Target asItStands(String text, String method) {
    if (!Target.isWhole(text)) {
      throw unclear();
    }
    return of(text, method);
  }

  /**
   * Takes a request target apart.
   *
   * @throws HttpProblem if the server behind us may see another path in it than the rules do
   */
  static Target of(String text, String method) {
    Target target = Target.of(text);
    boolean wanted = !target.ofServer() || method.equals("OPTIONS");
    if (!wanted || target.isAmbiguous()) {
      throw unclear();
    }
    return target;
  }

  private static HttpProblem unclear() {
    return HttpProblem.badRequest(
        "servers do not agree on what this path is: it does not begin with a slash, or has an"
            + " encoded slash, backslash or NUL, a dot segment with an encoded semicolon, or"
            + " a character that does not belong there");
  }
}
