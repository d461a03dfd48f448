package io.weir.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The response to a refused request, and what is in it for protocols that tell it otherwise.
 *
 * @param headers also {@code Content-Type}; the length is for the server to say
 * @param body JSON
 * @param detail the reason in words, as the body has it
 * @param violated the names of all limits that refused
 * @param retryAfter when to try again; empty where waiting cannot help
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
