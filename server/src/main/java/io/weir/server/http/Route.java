package io.weir.server.http;

import io.vertx.core.http.HttpMethod;

/**
 * One path of a port: its method and its endpoint.
 *
 * @param method {@code GET} accepts HEAD too
 * @param open whether it needs no authentication
 * @param maxBody the largest body in bytes; 0 for a route that reads none
 * @param allow the value of the header {@code Allow} of this path
 */
public record Route(HttpMethod method, Endpoint endpoint, boolean open, int maxBody, String allow) {
  /** The largest body of a route that states none of its own. */
  public static final int MAX_BODY = 1 << 20;

  public static Route get(Endpoint endpoint) {
    return new Route(HttpMethod.GET, endpoint, false, 0, "GET, HEAD");
  }

  public static Route post(Endpoint endpoint) {
    return new Route(HttpMethod.POST, endpoint, false, MAX_BODY, "POST");
  }

  /** The same route, without authentication. */
  public Route withoutAuth() {
    return new Route(method, endpoint, true, maxBody, allow);
  }

  boolean accepts(HttpMethod asked) {
    return asked == method || (method == HttpMethod.GET && asked == HttpMethod.HEAD);
  }

  boolean hasBody() {
    return maxBody > 0;
  }
}
