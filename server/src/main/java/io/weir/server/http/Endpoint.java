package io.weir.server.http;

/** The handler of one route. Runs on the event loop and must not block. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Answers a request, synchronously or later.
   *
   * @param body the complete body; empty for a GET
   * @throws HttpProblemException if the request is invalid; the problem becomes the response
   */
  void answer(HttpExchange exchange, byte[] body);
}
