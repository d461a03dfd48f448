package io.weir.rule;

import io.weir.Limit;
import java.time.Instant;
import java.util.Locale;

/**
 * A token that lets its bearer past the rules, within a limit of its own and until it expires.
 *
 * @param tokenSha256 the token's SHA-256 in 64 hex digits; the token itself is nowhere
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
