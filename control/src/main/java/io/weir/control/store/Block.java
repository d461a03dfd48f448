package io.weir.control.store;

import java.time.Instant;
import java.util.Optional;

/**
 * A key that is refused or tightened until a time.
 *
 * @param rule the rule; empty for all rules
 * @param source the system that sent a signal; empty for a block by an operator
 * @param live false if a later one replaced it, an operator ended it, or its end was recorded
 */
public record Block(
    long id,
    Optional<String> rule,
    KeyRef key,
    Effect effect,
    Kind kind,
    Instant until,
    String reason,
    String source,
    String author,
    Instant created,
    boolean live,
    long seq) {

  /** What happens to calls of the key. */
  public enum Effect {
    /** Limits times 0.5: a signal of severity 1. */
    HALF,
    /** Limits times 0.1: a signal of severity 2. */
    TENTH,
    /** A block, or a signal of severity 3. */
    REFUSE
  }

  /** Where it comes from. A key of a rule has at most one live row of each kind. */
  public enum Kind {
    OPERATOR,
    SIGNAL
  }

  public boolean isInForce(Instant now) {
    return live && now.isBefore(until);
  }
}
