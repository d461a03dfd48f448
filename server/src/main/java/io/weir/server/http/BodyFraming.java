package io.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import java.util.Optional;

/** How a request says where its body ends, and whom it is for. */
public final class BodyFraming {
  private BodyFraming() {}

  /**
   * What is wrong with a request that can be read in two ways, if so.
   *
   * @param request of HTTP/1; a length beside chunks is gone by now: the decoder has removed it, as
   *     it does not hold
   */
  public static Optional<HttpProblemException> problem(HttpServerRequest request) {
    int codings = 0;
    int lengths = 0;
    int hosts = 0;
    boolean chunked = true;
    for (Map.Entry<String, String> header : request.headers()) {
      String name = header.getKey();
      if (name.length() == 4 && name.equalsIgnoreCase("host")) {
        hosts++;
      } else if (name.length() == 14 && name.equalsIgnoreCase("content-length")) {
        lengths++;
      } else if (name.length() == 17 && name.equalsIgnoreCase("transfer-encoding")) {
        codings++;
        chunked = header.getValue().equalsIgnoreCase("chunked");
      }
    }
    boolean is10 = request.version() == HttpVersion.HTTP_1_0;
    if (!chunked || codings > 1 || lengths > 1 || (codings == 1 && is10)) {
      return Optional.of(malformed("where the body ends can be read in two ways"));
    }
    if (hosts > 1 || (hosts == 0 && !is10)) {
      return Optional.of(malformed("one Host header is needed"));
    }
    return HostHeader.isReadable(request)
        ? Optional.empty()
        : Optional.of(malformed("the Host header names no host"));
  }

  /** Refuses text that a server behind us could read as another header. */
  public static void checkText(HttpServerRequest request) {
    if (!HeaderSyntax.isPlain(request)) {
      throw malformed("a header has a character that does not belong there");
    }
  }

  private static HttpProblemException malformed(String detail) {
    return HttpProblemException.malformed(400, "Bad Request", detail);
  }

  /** What the request says of the length of its body; -1 if nothing. */
  public static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw HttpProblemException.malformed(
          400, "Bad Request", "the length of the body is no number");
    }
  }

  /** Whether a request comes without a body, as far as its head says. */
  public static boolean hasNoBody(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2
        ? request.isEnded()
        : length(request) <= 0 && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /** Whether the body is, or may be, larger than this. */
  public static boolean isLarge(HttpServerRequest request, long bytes) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return text == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : text.length() > 18 || length(request) > bytes;
  }
}
