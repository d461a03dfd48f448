package io.weir.http.identity;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The claims of a request's signed token: known at once, or pending until the signature is verified
 * on another thread.
 */
public sealed interface TokenClaims {
  /** The claims of a request without an accepted token. */
  Known NONE = new Known(Map.of());

  /**
   * Claims that are known.
   *
   * @param attributes by name; empty for a request without an accepted token
   */
  record Known(Map<String, String> attributes) implements TokenClaims {
    public Known {
      attributes = Map.copyOf(attributes);
    }
  }

  /**
   * Claims whose signature is being verified.
   *
   * @param known completes on another thread, and never exceptionally
   */
  record Pending(CompletionStage<Known> known) implements TokenClaims {}
}
