package io.weir.rule;

import io.weir.Limit;
import java.util.List;

/** Which limits hold per key of a rule. */
public sealed interface Limits {
  /** These, all of which must admit. */
  record Listed(List<Limit> limits) implements Limits {
    public Listed {
      limits = List.copyOf(limits);
      if (limits.isEmpty()) {
        throw new IllegalArgumentException("a rule needs at least one limit");
      }
    }
  }

  /** Those of the tenant's plan. */
  record OfTier() implements Limits {}

  /** None: the rule is there for what it replaces. */
  record Unlimited() implements Limits {}
}
