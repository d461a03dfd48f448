package io.weir.control.store;

import java.time.Instant;
import java.util.Optional;

/**
 * Another limit for one key of one rule, until a time.
 *
 * @param live false if a later one replaced it, an operator ended it, or its end was recorded
 */
public record KeyOverride(
    long id,
    String rule,
    KeyRef key,
    Adjustment adjustment,
    String reason,
    String author,
    Instant created,
    Instant starts,
    Instant expires,
    Optional<Instant> lastUsed,
    boolean live,
    long seq) {

  public boolean isInForce(Instant now) {
    return live && !now.isBefore(starts) && now.isBefore(expires);
  }
}
