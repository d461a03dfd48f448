package io.weir.http;

import java.util.List;

/**
 * The response to a refused request.
 *
 * @param headers also {@code Content-Type}; the length is for the server to say
 * @param body JSON
 */
public record Refusal(int status, List<HeaderLine> headers, String body) {
  public Refusal {
    headers = List.copyOf(headers);
  }
}
