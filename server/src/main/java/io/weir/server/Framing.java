package io.weir.server;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;

/** How a request says where its body ends; two who read that differently can be played off. */
final class Framing {
  private Framing() {}

  /** Refuses what can be read in two ways. */
  static void check(HttpServerRequest request) {
    if (!HeaderText.isPlain(request)) {
      throw HttpProblem.malformed(
          400, "Bad Request", "a header has a character that does not belong there");
    }
    if (request.version() == HttpVersion.HTTP_2) {
      return;
    }
    List<String> coding = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    List<String> length = request.headers().getAll(HttpHeaders.CONTENT_LENGTH);
    boolean chunked = coding.size() == 1 && coding.get(0).equalsIgnoreCase("chunked");
    // A length beside chunks is gone by now: the decoder has removed it, as it does not hold.
    if ((!coding.isEmpty() && !chunked)
        || length.size() > 1
        || (!coding.isEmpty() && request.version() == HttpVersion.HTTP_1_0)) {
      throw HttpProblem.malformed(
          400, "Bad Request", "where the body ends can be read in two ways");
    }
    int hosts = request.headers().getAll(HttpHeaders.HOST).size();
    if (hosts > 1 || (hosts == 0 && request.version() == HttpVersion.HTTP_1_1)) {
      throw HttpProblem.malformed(400, "Bad Request", "one Host header is needed");
    }
  }

  /** What the request says of the length of its body; -1 if nothing. */
  static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw HttpProblem.malformed(400, "Bad Request", "the length of the body is no number");
    }
  }

  /** Whether a request comes without a body, as far as its head says. */
  static boolean hasNoBody(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2
        ? request.isEnded()
        : length(request) <= 0 && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /** Whether the body is, or may be, larger than this. */
  static boolean isLarge(HttpServerRequest request, long bytes) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return text == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : text.length() > 18 || length(request) > bytes;
  }
}
