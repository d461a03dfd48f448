package io.weir.rule;

import io.weir.Limit;
import java.time.Instant;
import java.util.Locale;

/**
 * A bypass token: a call that carries it skips the rules, within the token's own limit and until it
 * expires.
 *
 * @param tokenSha256 the SHA-256 of the token in 64 hex digits; the token itself is not stored
 */
public record Bypass(String id, String tokenSha256, Limit limit, Instant expires) {
  public Bypass {
    tokenSha256 = tokenSha256.toLowerCase(Locale.ROOT);
    if (tokenSha256.length() != 64
        || !tokenSha256.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
      throw new IllegalArgumentException("token_sha256 must be 64 hex digits");
    }
  }
}
