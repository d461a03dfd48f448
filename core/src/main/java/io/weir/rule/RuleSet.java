package io.weir.rule;

import io.weir.Limit;
import io.weir.base.ReplacesCycle;
import io.weir.limit.LimitDivision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rules, tenant plans and bypass tokens in force at one time. Immutable, and swapped as a
 * whole.
 */
public final class RuleSet {
  /** The name for the plan of tenants that are not listed. */
  public static final String EVERYONE_ELSE = "*";

  /** No rules: every call passes. */
  public static final RuleSet EMPTY = builder().build();

  private final List<Rule> rules;
  private final Map<String, TenantPlan> tenants;
  private final List<Bypass> bypasses;

  private RuleSet(Builder b) {
    this.rules = List.copyOf(b.rules.values());
    this.tenants = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(b.tenants));
    this.bypasses = List.copyOf(b.bypasses);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A rule set of these rules, without plans and bypass tokens. */
  public static RuleSet of(Rule... rules) {
    Builder builder = builder();
    for (Rule rule : rules) {
      builder.rule(rule);
    }
    return builder.build();
  }

  /** The rules in document order. */
  public List<Rule> rules() {
    return rules;
  }

  /** Plans by tenant; {@link #EVERYONE_ELSE} is the plan of tenants not listed. */
  public Map<String, TenantPlan> tenants() {
    return tenants;
  }

  public List<Bypass> bypasses() {
    return bypasses;
  }

  /** The rule with this id. */
  public Optional<Rule> rule(String id) {
    return rules.stream().filter(rule -> rule.id().equals(id)).findFirst();
  }

  /**
   * These rules with the plans of further tenants; a plan given here wins over one of the set.
   *
   * @throws IllegalArgumentException if a limit cannot be split into the shards of a rule
   */
  public RuleSet withTenants(Map<String, TenantPlan> more) {
    Builder builder = builder();
    rules.forEach(builder::rule);
    bypasses.forEach(builder::bypass);
    builder.tenants.putAll(tenants);
    builder.tenants.putAll(more);
    return builder.build();
  }

  /** Two rule sets are equal if their rules, plans and bypass tokens are equal. */
  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof RuleSet set
            && rules.equals(set.rules)
            && tenants.equals(set.tenants)
            && bypasses.equals(set.bypasses));
  }

  @Override
  public int hashCode() {
    return Objects.hash(rules, tenants, bypasses);
  }

  /** Builds a rule set. */
  public static final class Builder {
    private final Map<String, Rule> rules = new LinkedHashMap<>();
    private final Map<String, TenantPlan> tenants = new LinkedHashMap<>();
    private final List<Bypass> bypasses = new ArrayList<>();

    private Builder() {}

    public Builder rule(Rule rule) {
      if (rules.putIfAbsent(rule.id(), rule) != null) {
        throw new IllegalArgumentException("two rules have the id " + rule.id());
      }
      return this;
    }

    /** The plan of a tenant; {@link #EVERYONE_ELSE} for tenants not listed. */
    public Builder tenant(String name, TenantPlan plan) {
      tenants.put(name, plan);
      return this;
    }

    public Builder bypass(Bypass bypass) {
      bypasses.add(bypass);
      return this;
    }

    /**
     * Builds the rule set.
     *
     * @throws IllegalArgumentException if rules replace each other in a cycle, if a rule uses the
     *     tenant's tier and {@code "*"} has no plan, or if a limit cannot be split into the rule's
     *     shards
     */
    public RuleSet build() {
      Map<String, List<String>> replaces = new LinkedHashMap<>();
      rules.forEach((id, rule) -> replaces.put(id, rule.replaces()));
      ReplacesCycle cycle = new ReplacesCycle(replaces);
      for (Rule rule : rules.values()) {
        if (rule.limits() instanceof RuleLimits.OfTier && !tenants.containsKey(EVERYONE_ELSE)) {
          throw new IllegalArgumentException(
              "rule " + rule.id() + ": limit tier needs tenants to say what \"*\" gets");
        }
        if (rule.shards() > 1) {
          checkShards(rule);
        }
        cycle
            .through(rule.id())
            .ifPresent(
                other -> {
                  throw new IllegalArgumentException(
                      "rule " + rule.id() + " replaces " + other + ", by which it is replaced");
                });
      }
      return new RuleSet(this);
    }

    private void checkShards(Rule rule) {
      try {
        limitsOf(rule).distinct().forEach(limit -> LimitDivision.of(limit, rule.shards()));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("rule " + rule.id() + ": " + e.getMessage(), e);
      }
    }

    /** All limits that a rule can have, with every schedule and its penalty. */
    private Stream<Limit> limitsOf(Rule rule) {
      Stream<Limit> limits = Stream.empty();
      if (rule.limits() instanceof RuleLimits.Listed listed) {
        limits =
            Stream.concat(
                listed.limits().stream(),
                rule.options().candidate().stream().flatMap(other -> other.limits().stream()));
      } else if (rule.limits() instanceof RuleLimits.OfTier) {
        limits = tenants.values().stream().flatMap(plan -> plan.limits().stream());
      }
      Stream<Limit> scheduled =
          limits.flatMap(
              limit ->
                  Stream.concat(
                      Stream.of(limit),
                      rule.schedule().stream().map(hours -> limit.scaled(hours.factor()))));
      return rule.options()
          .penalty()
          .map(
              penalty ->
                  scheduled.flatMap(limit -> Stream.of(limit, limit.scaled(penalty.factor()))))
          .orElse(scheduled);
    }
  }
}
