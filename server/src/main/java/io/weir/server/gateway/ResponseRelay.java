package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.http.HeaderLine;
import io.weir.server.http.HeaderSyntax;
import io.weir.server.http.ResponseHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Streams the response of an upstream to the client, with back-pressure.
 *
 * <p>The head is delayed until the end of the current turn of the event loop. The body of a small
 * response arrives in the same turn, so that both become one write. The head does not wait longer,
 * as the first bytes of a streamed body may come much later.
 */
final class ResponseRelay {
  private static final long UNKNOWN = -1;

  private final ProxiedRequest proxied;
  private final Gateway gateway;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<HeaderLine> lines;
  private final AdmittedCall admitted;
  private long remaining = UNKNOWN;
  private @Nullable Buffer lastPiece;
  private boolean started;
  private boolean paused;

  ResponseRelay(
      ProxiedRequest proxied,
      Gateway gateway,
      HttpServerRequest request,
      List<HeaderLine> lines,
      AdmittedCall admitted) {
    this.proxied = proxied;
    this.gateway = gateway;
    this.request = request;
    this.response = request.response();
    this.lines = lines;
    this.admitted = admitted;
  }

  /** Whether the upstream has responded, even if nothing has been written to the client yet. */
  boolean hasStarted() {
    return started;
  }

  /** Whether reading is paused until the client has read more. */
  boolean waitsForClient() {
    return paused;
  }

  /** Relays a response, from its head on. */
  void relay(HttpClientResponse from) {
    head(from);
    boolean bodyless =
        request.method() == HttpMethod.HEAD || from.statusCode() == 204 || from.statusCode() == 304;
    String length = from.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null && !bodyless) {
      if (request.version() == HttpVersion.HTTP_1_0) {
        response.headers().set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      } else {
        response.setChunked(true);
      }
    }
    remaining = length == null || bodyless ? UNKNOWN : Long.parseLong(length);
    from.exceptionHandler(proxied.step(proxied::onUpstreamFailure));
    from.handler(proxied.step(piece -> relay(from, piece)));
    from.endHandler(proxied.step(end -> onEnd(from)));
    if (!bodyless && remaining != 0) {
      deferToNextTurn(this::writeHead);
    }
  }

  /** Writes the head for the client, except for the framing of the body. */
  void head(HttpClientResponse from) {
    started = true;
    gateway.metrics().onResponse(from.statusCode());
    admitted.onResponse(from.headers());
    response.setStatusCode(from.statusCode());
    String message = from.statusMessage();
    if (hasCustomMessage(from.statusCode(), message) && request.version() != HttpVersion.HTTP_2) {
      response.setStatusMessage(message);
    }
    HeaderForwarding.response(from.headers(), response.headers());
    ResponseHeaders.put(lines, response.headers());
  }

  /**
   * Whether the reason phrase differs from the standard one. Not for 304: with a custom phrase
   * Vert.x would add a Content-Length of 0, which is wrong for the cached representation.
   */
  private boolean hasCustomMessage(int status, @Nullable String message) {
    return message != null && status != 304 && !message.equals(response.getStatusMessage());
  }

  private void deferToNextTurn(Runnable work) {
    gateway
        .loop()
        .context()
        .runOnContext(
            proxied.step(
                turn -> {
                  if (!proxied.isOver()) {
                    work.run();
                  }
                }));
  }

  /** Sends the head alone, if no body arrived in the same turn. */
  private void writeHead() {
    if (response.headWritten()) {
      return;
    }
    if (request.version() == HttpVersion.HTTP_1_0) {
      response.write(Buffer.buffer()); // the body may end with the connection
    } else {
      response.writeHead();
    }
  }

  private void relay(HttpClientResponse from, Buffer piece) {
    if (proxied.isOver()) {
      return;
    }
    proxied.onProgress();
    writeLastPiece();
    if (remaining != UNKNOWN) {
      remaining -= piece.length();
      if (remaining == 0) {
        last(from, piece);
        return;
      }
    }
    response.write(piece);
    if (response.writeQueueFull()) {
      from.pause();
      paused = true;
      response.drainHandler(
          drained -> {
            paused = false;
            proxied.onProgress();
            from.resume();
          });
    }
  }

  /**
   * Writes the last piece together with the end. With HTTP/2 trailers may follow, so it waits for
   * them.
   */
  private void last(HttpClientResponse from, Buffer piece) {
    if (from.version() == HttpVersion.HTTP_2) {
      lastPiece = piece;
      deferToNextTurn(this::writeLastPiece);
    } else {
      response.end(piece);
      proxied.finish();
    }
  }

  private void writeLastPiece() {
    if (lastPiece != null) {
      response.write(lastPiece);
      lastPiece = null;
    }
  }

  private void onEnd(HttpClientResponse from) {
    if (proxied.isOver()) {
      return;
    }
    // HTTP/2 trailers may contain what HTTP/1 cannot carry. They are dropped, as the head is sent.
    if (from.version() != HttpVersion.HTTP_2 || HeaderSyntax.isPlain(from.trailers())) {
      from.trailers().forEach((name, value) -> response.putTrailer(name, value));
    }
    if (lastPiece == null) {
      response.end();
    } else {
      response.end(lastPiece);
    }
    boolean close =
        request.version() == HttpVersion.HTTP_1_0
            && from.getHeader(HttpHeaders.CONTENT_LENGTH) == null;
    proxied.finish();
    if (close) {
      request.connection().close();
    }
  }
}
