package io.weir.server.listen;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.http.BodyFraming;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.LoopContext;
import java.util.Optional;

/**
 * Checks every HTTP/1 request head before a port handles it, which prevents request smuggling.
 *
 * <p>If the end of a message is ambiguous, so are all bytes after it. After a response that closes
 * the connection, no pipelined request is handled: Vert.x reads ahead, and would deliver the next
 * request before the connection is closed.
 */
final class HeadCheck implements Handler<HttpServerRequest> {
  private final LoopContext loop;
  private final Handler<HttpServerRequest> next;

  HeadCheck(LoopContext loop, Handler<HttpServerRequest> next) {
    this.loop = loop;
    this.next = next;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) { // frames delimit its messages
      next.handle(request);
    } else if (loop.connections().isClosing(request.connection())) {
      request.connection().close();
    } else {
      Optional<HttpProblemException> problem = BodyFraming.problem(request);
      if (problem.isPresent()) {
        new HttpExchange(request, loop).problem(problem.get());
      } else {
        next.handle(request);
      }
    }
  }
}
