package io.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import java.util.Optional;

/**
 * Rejects HTTP/1 requests whose body length or host is ambiguous, which prevents request smuggling.
 */
public final class BodyFraming {
  private BodyFraming() {}

  /**
   * Why a request is ambiguous; empty if it is not.
   *
   * @param request an HTTP/1 request; the decoder has already removed a Content-Length beside
   *     chunked encoding, as it does not apply
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
      return Optional.of(malformed("the body length is ambiguous"));
    }
    if (hosts > 1 || (hosts == 0 && !is10)) {
      return Optional.of(malformed("exactly one Host header is required"));
    }
    return HostHeader.isReadable(request)
        ? Optional.empty()
        : Optional.of(malformed("the Host header is not a valid host"));
  }

  /** Refuses text that the upstream could parse as another header. */
  public static void checkText(HttpServerRequest request) {
    if (!HeaderSyntax.isPlain(request)) {
      throw malformed("a header contains an invalid character");
    }
  }

  private static HttpProblemException malformed(String detail) {
    return HttpProblemException.malformed(400, "Bad Request", detail);
  }

  /** The Content-Length of the request; -1 if there is none. */
  public static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw HttpProblemException.malformed(
          400, "Bad Request", "the Content-Length is not a number");
    }
  }

  /** Whether a request has no body, judging by its head. */
  public static boolean hasNoBody(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2
        ? request.isEnded()
        : length(request) <= 0 && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /** Whether the body is, or may be, larger than this many bytes. */
  public static boolean isLarge(HttpServerRequest request, long bytes) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return text == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : text.length() > 18 || length(request) > bytes;
  }
}
