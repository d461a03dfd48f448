package io.weir.server;

import io.vertx.core.http.HttpMethod;

/**
 * One address of a port: which method it takes, and what answers.
 *
 * @param method {@code GET} takes HEAD too
 */
record Route(HttpMethod method, Endpoint endpoint) {
  static Route get(Endpoint endpoint) {
    return new Route(HttpMethod.GET, endpoint);
  }

  static Route post(Endpoint endpoint) {
    return new Route(HttpMethod.POST, endpoint);
  }

  boolean takes(HttpMethod asked) {
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
