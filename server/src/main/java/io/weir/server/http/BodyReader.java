package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Collects the body of one request, up to a size and within a time, and hands it to the endpoint.
 * What comes after either is exceeded is thrown away.
 */
final class BodyReader {
  static final int MOST_BYTES = 1 << 20;

  private static final String TOO_LARGE = "the body is larger than " + MOST_BYTES + " bytes";
  private static final byte[] NO_BYTES = {};

  private final HttpExchange exchange;
  private final Endpoint endpoint;
  private final ConnectionTracker connections;
  private @Nullable Buffer body;
  private int begun;
  private boolean over;

  private BodyReader(HttpExchange exchange, Endpoint endpoint, ConnectionTracker connections) {
    this.exchange = exchange;
    this.endpoint = endpoint;
    this.connections = connections;
  }

  /** Reads the body of an exchange and has it answered. */
  static void read(HttpExchange exchange, Endpoint endpoint, ConnectionTracker connections) {
    new BodyReader(exchange, endpoint, connections).read(exchange.request());
  }

  private void read(HttpServerRequest request) {
    if (announcesTooMuch(request)) {
      over = true;
      request.handler(more -> {});
      exchange.problem(HttpProblemException.tooLarge(TOO_LARGE));
      return;
    }
    if (request.headers().contains(HttpHeaders.EXPECT)) {
      request.response().writeContinue();
    }
    begun = connections.onBodyStart(this);
    request.handler(this::add);
    request.endHandler(end -> whole());
    request.exceptionHandler(failure -> broken());
  }

  private static boolean announcesTooMuch(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // Longer than any number up to the limit, or a number above it; the decoder has refused others.
    return length != null
        && length.length() >= 7
        && (length.length() > 18 || Long.parseLong(length) > MOST_BYTES);
  }

  private void add(Buffer more) {
    if (over) {
      return;
    }
    Buffer before = body;
    if ((before == null ? 0 : before.length()) + more.length() > MOST_BYTES) {
      stop();
      exchange.problem(HttpProblemException.tooLarge(TOO_LARGE));
    } else {
      body = before == null ? more : before.appendBuffer(more);
    }
  }

  private void whole() {
    if (!over) {
      byte[] bytes = body == null ? NO_BYTES : body.getBytes();
      stop();
      exchange.answerWith(endpoint, bytes);
    }
  }

  /** The caller went away, or reset the stream. */
  private void broken() {
    if (!over) {
      stop();
      exchange.finished();
    }
  }

  /** The time for the body is over. */
  void onTimeout() {
    stop();
    exchange.problem(
        HttpProblemException.tooSlow(
            "the body did not arrive within " + ConnectionTracker.BODY_TICKS + " seconds"));
  }

  private void stop() {
    over = true;
    body = null;
    connections.onBodyEnd(this);
  }

  /** The tick at which the body began to arrive. */
  int startTick() {
    return begun;
  }
}
