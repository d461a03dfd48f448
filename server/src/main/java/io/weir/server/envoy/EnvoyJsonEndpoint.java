package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.server.envoy.grpc.EnvoyJson;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.server.envoy.grpc.UnavailableException;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Serves Envoy's rate limit service over HTTP and JSON. */
public final class EnvoyJsonEndpoint {
  private final EnvoyService service;

  public EnvoyJsonEndpoint(EnvoyService service) {
    this.service = service;
  }

  /** {@code POST /json}: 200 if the request is allowed, 429 if it is over a limit. */
  public void json(HttpExchange exchange, byte[] body) {
    try {
      CompletionStage<RateLimitResponse> answer =
          service.decide(body).exceptionally(EnvoyJsonEndpoint::rethrow);
      exchange.whenDone(
          answer,
          response ->
              exchange.answerJson(
                  response.getOverallCode() == Code.OVER_LIMIT ? 429 : 200,
                  EnvoyJson.write(response)));
    } catch (InvalidRequestException | UnavailableException e) {
      throw problem(e);
    }
  }

  private static RateLimitResponse rethrow(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    throw cause instanceof UnavailableException unavailable
        ? problem(unavailable)
        : new CompletionException(cause);
  }

  private static HttpProblemException problem(RuntimeException e) {
    String reason = String.valueOf(e.getMessage());
    return e instanceof InvalidRequestException
        ? HttpProblemException.badRequest(reason)
        : HttpProblemException.unavailable(reason);
  }
}
