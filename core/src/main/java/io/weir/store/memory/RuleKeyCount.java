package io.weir.store.memory;

import java.util.concurrent.atomic.AtomicLong;

/** How many keys of one rule have a bucket of their own in the memory table. */
final class RuleKeyCount {
  /** The rule's id; empty while no rule has this share. */
  volatile String rule;

  /** What every slot of this rule carries in its fingerprint. */
  final int number;

  final AtomicLong keys = new AtomicLong();

  /** Whether room is kept for this rule; changed under the lock of {@link TableShares}. */
  volatile boolean counted;

  /** The last change of rules at which the rule was expected or held keys; under the same lock. */
  long usedAt;

  RuleKeyCount(String rule, int number) {
    this.rule = rule;
    this.number = number;
  }
}
