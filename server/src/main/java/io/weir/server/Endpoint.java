package io.weir.server;

/** What one address of the data port does. Runs on the event loop and must not block. */
@FunctionalInterface
interface Endpoint {
  /**
   * Answers a request, now or later.
   *
   * @param body all of it; empty for a GET
   * @throws HttpProblem if the request is not answerable; it becomes the answer
   */
  void answer(Exchange exchange, byte[] body);
}
