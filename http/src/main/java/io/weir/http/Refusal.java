package io.weir.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The response to a refused request, with its parts for protocols other than plain HTTP.
 *
 * @param headers includes {@code Content-Type}; the server adds the length
 * @param body JSON
 * @param detail the human-readable reason, as in the body
 * @param violated names of all limits that refused
 * @param retryAfter when to retry; empty if waiting does not help
 */
public record Refusal(
    int status,
    List<HeaderLine> headers,
    String body,
    String detail,
    List<String> violated,
    Optional<Duration> retryAfter) {
  public Refusal {
    headers = List.copyOf(headers);
    violated = List.copyOf(violated);
  }
}
