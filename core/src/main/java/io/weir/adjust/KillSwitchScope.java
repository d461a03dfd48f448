package io.weir.adjust;

import org.jspecify.annotations.Nullable;

/** The rules that a kill switch sends into shadow. */
public sealed interface KillSwitchScope {
  /** Whether it covers a rule for a call of a tenant, which is null if the call has none. */
  boolean covers(String rule, @Nullable String tenant);

  /** Reads {@code all}, {@code rule/ID} or {@code tenant/ID}. */
  static KillSwitchScope parse(String text) {
    if (text.equals("all")) {
      return new All();
    }
    int slash = text.indexOf('/');
    String id = text.substring(slash + 1);
    if (slash > 0 && !id.isEmpty()) {
      switch (text.substring(0, slash)) {
        case "rule":
          return new OfRule(id);
        case "tenant":
          return new OfTenant(id);
        default:
      }
    }
    throw new IllegalArgumentException("'" + text + "' is none of all, rule/ID, tenant/ID");
  }

  /** All rules. */
  record All() implements KillSwitchScope {
    @Override
    public boolean covers(String rule, @Nullable String tenant) {
      return true;
    }

    @Override
    public String toString() {
      return "all";
    }
  }

  /** One rule. */
  record OfRule(String id) implements KillSwitchScope {
    @Override
    public boolean covers(String rule, @Nullable String tenant) {
      return id.equals(rule);
    }

    @Override
    public String toString() {
      return "rule/" + id;
    }
  }

  /** All rules for the calls of one tenant. */
  record OfTenant(String id) implements KillSwitchScope {
    @Override
    public boolean covers(String rule, @Nullable String tenant) {
      return id.equals(tenant);
    }

    @Override
    public String toString() {
      return "tenant/" + id;
    }
  }
}
