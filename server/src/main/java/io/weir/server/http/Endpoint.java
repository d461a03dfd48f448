package io.weir.server.http;

/** What one address of the data port does. Runs on the event loop and must not block. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Answers a request, now or later.
   *
   * @param body all of it; empty for a GET
   * @throws HttpProblemException if the request is not answerable; it becomes the answer
   */
  void answer(HttpExchange exchange, byte[] body);
}
