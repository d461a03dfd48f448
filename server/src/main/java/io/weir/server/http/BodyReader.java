package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Collects the body of one request, up to a maximum size and time, and passes it to the endpoint.
 * After either limit is exceeded, further bytes are discarded.
 */
final class BodyReader {
  private static final byte[] NO_BYTES = {};

  private final HttpExchange exchange;
  private final Route route;
  private final ConnectionTracker connections;
  private @Nullable Buffer body;
  private int startTick;
  private boolean done;

  private BodyReader(HttpExchange exchange, Route route, ConnectionTracker connections) {
    this.exchange = exchange;
    this.route = route;
    this.connections = connections;
  }

  /** Reads the body of an exchange, then calls the endpoint of its route. */
  static void read(HttpExchange exchange, Route route, ConnectionTracker connections) {
    new BodyReader(exchange, route, connections).read(exchange.request());
  }

  private void read(HttpServerRequest request) {
    if (declaresTooMuch(request)) {
      done = true;
      request.handler(more -> {});
      exchange.problem(tooLarge());
      return;
    }
    if (request.headers().contains(HttpHeaders.EXPECT)) {
      request.response().writeContinue();
    }
    startTick = connections.onBodyStart(this);
    request.handler(this::add);
    request.endHandler(end -> complete());
    request.exceptionHandler(failure -> abort());
  }

  private boolean declaresTooMuch(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // More digits than a long holds, or a number above the limit; the decoder refused other text.
    return length != null
        && length.length() >= 7
        && (length.length() > 18 || Long.parseLong(length) > route.maxBody());
  }

  private HttpProblemException tooLarge() {
    return HttpProblemException.tooLarge("the body is larger than " + route.maxBody() + " bytes");
  }

  private void add(Buffer more) {
    if (done) {
      return;
    }
    Buffer before = body;
    if ((before == null ? 0 : before.length()) + more.length() > route.maxBody()) {
      stop();
      exchange.problem(tooLarge());
    } else {
      body = before == null ? more : before.appendBuffer(more);
    }
  }

  private void complete() {
    if (!done) {
      byte[] bytes = body == null ? NO_BYTES : body.getBytes();
      stop();
      exchange.answerWith(route.endpoint(), bytes);
    }
  }

  /** The client disconnected, or reset the stream. */
  private void abort() {
    if (!done) {
      stop();
      exchange.finished();
    }
  }

  /** The timeout for the body has passed. */
  void onTimeout() {
    stop();
    exchange.problem(
        HttpProblemException.tooSlow(
            "the body did not arrive within " + ConnectionTracker.BODY_TICKS + " s"));
  }

  private void stop() {
    done = true;
    body = null;
    connections.onBodyEnd(this);
  }

  /** The tick at which the body began to arrive. */
  int startTick() {
    return startTick;
  }
}
