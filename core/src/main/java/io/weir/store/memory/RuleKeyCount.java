package io.weir.store.memory;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the keys of one rule that have their own bucket in the memory table. */
final class RuleKeyCount {
  /** The rule's id; empty while the share is unassigned. */
  volatile String rule;

  /** The rule's number; part of the fingerprint in every slot of the rule. */
  final int number;

  final AtomicLong keys = new AtomicLong();

  /** Whether a share is reserved for this rule; changed under the lock of {@link TableShares}. */
  volatile boolean counted;

  /** The last change of rules at which the rule was in force or had keys; under the same lock. */
  long usedAt;

  RuleKeyCount(String rule, int number) {
    this.rule = rule;
    this.number = number;
  }
}
