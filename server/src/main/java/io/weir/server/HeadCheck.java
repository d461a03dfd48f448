package io.weir.server;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Optional;

/**
 * The check of every HTTP/1 request head before a port handles it, which prevents request
 * smuggling.
 *
 * <p>Where the end of a message is in doubt, so is everything behind it. After a response that
 * closes the connection, nothing that was pipelined behind it is handled: Vert.x reads ahead, and
 * would hand the next request over before the connection is closed.
 */
final class HeadCheck implements Handler<HttpServerRequest> {
  private final Loop loop;
  private final Handler<HttpServerRequest> next;

  HeadCheck(Loop loop, Handler<HttpServerRequest> next) {
    this.loop = loop;
    this.next = next;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) { // its frames say where a message ends
      next.handle(request);
    } else if (loop.connections().isClosing(request.connection())) {
      request.connection().close();
    } else {
      Optional<HttpProblem> problem = Framing.problem(request);
      if (problem.isPresent()) {
        new Exchange(request, loop).problem(problem.get());
      } else {
        next.handle(request);
      }
    }
  }
}
