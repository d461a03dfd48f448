package io.weir.server.http;

import io.vertx.core.http.HttpMethod;

/**
 * One path of a port: its method and its endpoint.
 *
 * @param method {@code GET} accepts HEAD too
 * @param open whether it needs no authentication
 */
public record Route(HttpMethod method, Endpoint endpoint, boolean open) {
  public static Route get(Endpoint endpoint) {
    return new Route(HttpMethod.GET, endpoint, false);
  }

  public static Route post(Endpoint endpoint) {
    return new Route(HttpMethod.POST, endpoint, false);
  }

  /** The same route, without authentication. */
  public Route withoutAuth() {
    return new Route(method, endpoint, true);
  }

  boolean accepts(HttpMethod asked) {
    return asked == method || (method == HttpMethod.GET && asked == HttpMethod.HEAD);
  }

  boolean hasBody() {
    return method == HttpMethod.POST;
  }

  /** The value of the header {@code Allow}. */
  String allow() {
    return method == HttpMethod.GET ? "GET, HEAD" : method.name();
  }
}
