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
 * The response of an upstream on its way to the client, piece by piece, no faster than the client
 * takes it.
 *
 * <p>What comes together leaves together: a head waits for as long as this turn of the event loop
 * lasts, in which the body of a small response comes too, so that both are one write. It does not
 * wait longer, as the body may be a stream whose first word comes much later.
 */
final class ResponseRelay {
  private static final long UNKNOWN = -1;

  private final ProxiedRequest forwarding;
  private final Gateway gateway;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<HeaderLine> lines;
  private final AdmittedCall passage;
  private long left = UNKNOWN;
  private @Nullable Buffer held;
  private boolean begun;
  private boolean waits;

  ResponseRelay(
      ProxiedRequest forwarding,
      Gateway gateway,
      HttpServerRequest request,
      List<HeaderLine> lines,
      AdmittedCall passage) {
    this.forwarding = forwarding;
    this.gateway = gateway;
    this.request = request;
    this.response = request.response();
    this.lines = lines;
    this.passage = passage;
  }

  /** Whether the upstream has answered, be it that nothing of that was written yet. */
  boolean hasBegun() {
    return begun;
  }

  /** Whether the client is to take what there is before more is read. */
  boolean waitsForClient() {
    return waits;
  }

  /** Takes a response over, from its head on. */
  void relay(HttpClientResponse from) {
    head(from);
    boolean bare =
        request.method() == HttpMethod.HEAD || from.statusCode() == 204 || from.statusCode() == 304;
    String length = from.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null && !bare) {
      if (request.version() == HttpVersion.HTTP_1_0) {
        response.headers().set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      } else {
        response.setChunked(true);
      }
    }
    left = length == null || bare ? UNKNOWN : Long.parseLong(length);
    from.exceptionHandler(forwarding.step(forwarding::onUpstreamFailure));
    from.handler(forwarding.step(piece -> relay(from, piece)));
    from.endHandler(forwarding.step(end -> ended(from)));
    if (!bare && left != 0) {
      deferToNextTurn(this::writeHead);
    }
  }

  /** Writes the head for the client, but for how the body is framed. */
  void head(HttpClientResponse from) {
    begun = true;
    gateway.counts().onResponse(from.statusCode());
    passage.onResponse(from.headers());
    response.setStatusCode(from.statusCode());
    String message = from.statusMessage();
    if (hasOwnWords(from.statusCode(), message) && request.version() != HttpVersion.HTTP_2) {
      response.setStatusMessage(message);
    }
    HeaderForwarding.response(from.headers(), response.headers());
    ResponseHeaders.put(lines, response.headers());
  }

  /**
   * A 304 in words of its own would be given a length of 0, which is not that of what it stands
   * for.
   */
  private boolean hasOwnWords(int status, @Nullable String message) {
    return message != null && status != 304 && !message.equals(response.getStatusMessage());
  }

  private void deferToNextTurn(Runnable work) {
    gateway
        .loop()
        .context()
        .runOnContext(
            forwarding.step(
                turn -> {
                  if (!forwarding.isOver()) {
                    work.run();
                  }
                }));
  }

  /** Sends the head alone, as nothing came with it. */
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
    if (forwarding.isOver()) {
      return;
    }
    forwarding.onProgress();
    writeHeld();
    if (left != UNKNOWN) {
      left -= piece.length();
      if (left == 0) {
        last(from, piece);
        return;
      }
    }
    response.write(piece);
    if (response.writeQueueFull()) {
      from.pause();
      waits = true;
      response.drainHandler(
          drained -> {
            waits = false;
            forwarding.onProgress();
            from.resume();
          });
    }
  }

  /** The last piece and the end in one; but HTTP/2 may have trailers behind it. */
  private void last(HttpClientResponse from, Buffer piece) {
    if (from.version() == HttpVersion.HTTP_2) {
      held = piece;
      deferToNextTurn(this::writeHeld);
    } else {
      response.end(piece);
      forwarding.finish();
    }
  }

  private void writeHeld() {
    if (held != null) {
      response.write(held);
      held = null;
    }
  }

  private void ended(HttpClientResponse from) {
    if (forwarding.isOver()) {
      return;
    }
    // Those of HTTP/2 may have what HTTP/1 cannot; the head is long gone, so that nobody is told.
    if (from.version() != HttpVersion.HTTP_2 || HeaderSyntax.isPlain(from.trailers())) {
      from.trailers().forEach((name, value) -> response.putTrailer(name, value));
    }
    if (held == null) {
      response.end();
    } else {
      response.end(held);
    }
    boolean close =
        request.version() == HttpVersion.HTTP_1_0
            && from.getHeader(HttpHeaders.CONTENT_LENGTH) == null;
    forwarding.finish();
    if (close) {
      request.connection().close();
    }
  }
}
