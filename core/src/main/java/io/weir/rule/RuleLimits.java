package io.weir.rule;

import io.weir.Limit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which limits hold per key of a rule. */
public sealed interface RuleLimits {
  /** These, all of which must admit. */
  record Listed(List<Limit> limits) implements RuleLimits {
    public Listed {
      limits = List.copyOf(limits);
      if (limits.isEmpty()) {
        throw new IllegalArgumentException("a rule needs at least one limit");
      }
    }

    /** What tells a limit apart from the others: its name, or else its place. */
    public String slot(int i) {
      String name = limits.get(i).name();
      return name.isEmpty() ? Integer.toString(i + 1) : name;
    }

    void checkNames() {
      Set<String> slots = new HashSet<>();
      for (int i = 0; i < limits.size(); i++) {
        if (!slots.add(slot(i))) {
          throw new IllegalArgumentException(
              "two limits go by '" + slot(i) + "'; a limit without a name goes by its place");
        }
      }
    }
  }

  /** Those of the tenant's plan. */
  record OfTier() implements RuleLimits {}

  /** None: the rule is there for what it replaces. */
  record Unlimited() implements RuleLimits {}
}
