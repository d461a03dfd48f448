package io.weir.engine;

import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.store.Draw;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules whose draws are settled after the call: those that hold permits, and those whose cost
 * is in the response.
 *
 * @param any whether there is any such rule
 * @param byResponse the ids of the rules whose cost is in the response
 */
public record DeferredCostRules(boolean any, Set<String> byResponse) {
  public static DeferredCostRules of(RuleSet set) {
    Set<String> byResponse = new HashSet<>();
    boolean permits = false;
    for (Rule rule : set.rules()) {
      if (rule.cost() instanceof Cost.FromResponse) {
        byResponse.add(rule.id());
      }
      if (rule.limits() instanceof RuleLimits.Listed listed) {
        permits |= holdPermits(listed.limits());
      }
    }
    for (TenantPlan plan : set.tenants().values()) {
      permits |= holdPermits(plan.limits());
    }
    return new DeferredCostRules(permits || !byResponse.isEmpty(), Set.copyOf(byResponse));
  }

  private static boolean holdPermits(List<Limit> limits) {
    return limits.stream().anyMatch(limit -> limit.kind() == LimitKind.CONCURRENCY);
  }

  /** Whether one of these draws is settled after the call. */
  public boolean anyOf(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.pool().meter().limit().kind() == LimitKind.CONCURRENCY
          || byResponse.contains(draw.pool().rule())) {
        return true;
      }
    }
    return false;
  }
}
