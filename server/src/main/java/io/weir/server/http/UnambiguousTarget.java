package io.weir.server.http;

import io.weir.http.RequestTarget;

/** Parses the request target and rejects targets that different servers normalise differently. */
public final class UnambiguousTarget {
  private UnambiguousTarget() {}

  /**
   * Parses a request target that a proxy forwards unchanged.
   *
   * @throws HttpProblemException if the upstream may read another path from it than the rules do
   */
  public static RequestTarget parseForwarded(String text, String method) {
    if (!RequestTarget.isWhole(text)) {
      throw ambiguous();
    }
    return of(text, method);
  }

  /**
   * Parses a request target.
   *
   * @throws HttpProblemException if the upstream may read another path from it than the rules do
   */
  public static RequestTarget of(String text, String method) {
    RequestTarget target = RequestTarget.of(text);
    boolean wanted = !target.ofServer() || method.equals("OPTIONS");
    if (!wanted || target.isAmbiguous()) {
      throw ambiguous();
    }
    return target;
  }

  private static HttpProblemException ambiguous() {
    return HttpProblemException.badRequest(
        "the path is ambiguous: it does not start with a slash, or contains an encoded slash,"
            + " backslash or NUL, a dot segment with an encoded semicolon, or an invalid character");
  }
}
