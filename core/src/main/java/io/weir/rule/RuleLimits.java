package io.weir.rule;

import io.weir.Limit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The limits of a rule, per key. */
public sealed interface RuleLimits {
  /** These limits, all of which must admit a call. */
  record Listed(List<Limit> limits) implements RuleLimits {
    public Listed {
      limits = List.copyOf(limits);
      if (limits.isEmpty()) {
        throw new IllegalArgumentException("a rule needs at least one limit");
      }
    }

    /** The identity of a limit within the rule: its name, or its position from 1 if it has none. */
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

  /** The limits of the tenant's plan. */
  record OfTier() implements RuleLimits {}

  /** No limit: such a rule is useful for the rules it replaces. */
  record Unlimited() implements RuleLimits {}
}
