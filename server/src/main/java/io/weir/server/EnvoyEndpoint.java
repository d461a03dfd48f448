package io.weir.server;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.server.envoy.BadQuestion;
import io.weir.server.envoy.EnvoyJson;
import io.weir.server.envoy.EnvoyService;
import io.weir.server.envoy.Unavailable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Envoy's rate limit service for those who speak HTTP and JSON. */
final class EnvoyEndpoint {
  private final EnvoyService service;

  EnvoyEndpoint(EnvoyService service) {
    this.service = service;
  }

  /** {@code POST /json}: 200 if the request may pass, 429 if it is over a limit. */
  void json(Exchange exchange, byte[] body) {
    try {
      CompletionStage<RateLimitResponse> answer =
          service.decide(body).exceptionally(EnvoyEndpoint::rethrow);
      exchange.whenDone(
          answer,
          said ->
              exchange.answerJson(
                  said.getOverallCode() == Code.OVER_LIMIT ? 429 : 200, EnvoyJson.write(said)));
    } catch (BadQuestion | Unavailable e) {
      throw problem(e);
    }
  }

  private static RateLimitResponse rethrow(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    throw cause instanceof Unavailable unavailable
        ? problem(unavailable)
        : new CompletionException(cause);
  }

  private static HttpProblem problem(RuntimeException e) {
    String reason = String.valueOf(e.getMessage());
    return e instanceof BadQuestion
        ? HttpProblem.badRequest(reason)
        : HttpProblem.unavailable(reason);
  }
}
