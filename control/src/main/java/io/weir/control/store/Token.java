package io.weir.control.store;

import java.time.Instant;
import java.util.Optional;

/**
 * A token of the admin API. Only its hash is stored.
 *
 * @param hash SHA-256 of the token's text, in hex
 */
public record Token(
    long id,
    String hash,
    Role role,
    String label,
    String author,
    Instant created,
    Optional<Instant> expires,
    Optional<Instant> lastUsed,
    boolean revoked) {

  public boolean isGood(Instant now) {
    return !revoked && expires.map(now::isBefore).orElse(true);
  }
}
