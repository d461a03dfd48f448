package io.weir.server.listen;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.LoopContext;
import io.weir.server.netty.ProtocolCheck;

/** Answers requests that are not valid HTTP or exceed a size limit, and closes the connection. */
final class MalformedRequestHandler implements Handler<HttpServerRequest> {
  static final int MAX_LINE_BYTES = 8 * 1024;
  static final int MAX_HEADER_BYTES = 16 * 1024;

  private final LoopContext loop;

  MalformedRequestHandler(LoopContext loop) {
    this.loop = loop;
  }

  @Override
  public void handle(HttpServerRequest request) {
    new HttpExchange(request, loop).problem(problem(request.decoderResult().cause()));
  }

  private static HttpProblemException problem(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return HttpProblemException.malformed(
          414, "URI Too Long", "the request line is longer than " + MAX_LINE_BYTES + " bytes");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return HttpProblemException.malformed(
          431,
          "Request Header Fields Too Large",
          "the headers are larger than " + MAX_HEADER_BYTES + " bytes");
    }
    if (cause instanceof ProtocolCheck.UnknownProtocolException) {
      return HttpProblemException.malformed(
          505, "HTTP Version Not Supported", "supported: HTTP/1.0, HTTP/1.1 and HTTP/2");
    }
    return HttpProblemException.malformed(400, "Bad Request", "this is not a valid HTTP request");
  }
}
