package io.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.http.Refusal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Refuses gRPC calls with a gRPC status: HTTP 200, no body, and the status in the headers
 * ("trailers only"). gRPC clients map an HTTP status to a generic failure without reason and retry
 * time.
 */
public final class GrpcErrorResponse {
  private static final String TYPE = "application/grpc";
  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNAVAILABLE = 14;
  private static final CharSequence STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence MESSAGE = HttpHeaders.createOptimized("grpc-message");
  private static final CharSequence DETAILS =
      HttpHeaders.createOptimized("grpc-status-details-bin");
  private static final Base64.Encoder BASE64 = Base64.getEncoder().withoutPadding();

  private GrpcErrorResponse() {}

  /**
   * Whether a request is a gRPC call: a POST of {@code application/grpc}, {@code
   * application/grpc+proto}.
   */
  public static boolean isFor(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null
        && request.method() == HttpMethod.POST
        && type.regionMatches(true, 0, TYPE, 0, TYPE.length())
        && (type.length() == TYPE.length() || "+;-".indexOf(type.charAt(TYPE.length())) >= 0);
  }

  /** Responds that the call is refused by a limit, or that limits could not be evaluated. */
  public static void answer(HttpExchange exchange, Refusal refusal) {
    int code = refusal.status() == 503 ? UNAVAILABLE : RESOURCE_EXHAUSTED;
    answer(exchange, code, refusal.detail(), refusal.retryAfter(), refusal.violated());
  }

  /** Responds that the upstream is unavailable. */
  static void answer(HttpExchange exchange, HttpProblemException problem) {
    Optional<Duration> retryAfter =
        problem.retryAfter() > 0
            ? Optional.of(Duration.ofSeconds(problem.retryAfter()))
            : Optional.empty();
    answer(exchange, UNAVAILABLE, String.valueOf(problem.getMessage()), retryAfter, List.of());
  }

  private static void answer(
      HttpExchange exchange,
      int code,
      String message,
      Optional<Duration> retryAfter,
      List<String> violated) {
    HttpServerRequest request = exchange.request();
    HttpServerResponse response = request.response();
    if (request.version() != HttpVersion.HTTP_2) {
      response.setStatusMessage("OK");
    }
    byte[] details = RpcStatusEncoder.of(code, message, retryAfter, violated);
    response
        .setStatusCode(200)
        .putHeader(HttpHeaders.CONTENT_TYPE, request.getHeader(HttpHeaders.CONTENT_TYPE))
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader(STATUS, Integer.toString(code))
        .putHeader(MESSAGE, encoded(message))
        .putHeader(DETAILS, BASE64.encodeToString(details));
    exchange.answerEmpty();
  }

  /**
   * A message as gRPC sends it: percent-encoded except for printable ASCII other than {@code %}.
   */
  private static String encoded(String message) {
    StringBuilder out = new StringBuilder(message.length());
    for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
      if (b < ' ' || b > '~' || b == '%') {
        out.append(String.format("%%%02X", b & 0xff));
      } else {
        out.append((char) b);
      }
    }
    return out.toString();
  }
}
