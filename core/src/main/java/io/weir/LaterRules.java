package io.weir;

import io.weir.rule.Cost;
import io.weir.rule.Limits;
import io.weir.rule.Plan;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules whose draws are put right after the call has passed: those that hold permits, and those
 * that learn their cost from the response.
 *
 * @param any whether there is such a rule at all
 * @param byResponse the ids of the latter kind
 */
record LaterRules(boolean any, Set<String> byResponse) {
  static LaterRules of(RuleSet set) {
    Set<String> byResponse = new HashSet<>();
    boolean permits = false;
    for (Rule rule : set.rules()) {
      if (rule.cost() instanceof Cost.FromResponse) {
        byResponse.add(rule.id());
      }
      if (rule.limits() instanceof Limits.Listed listed) {
        permits |= holdPermits(listed.limits());
      }
    }
    for (Plan plan : set.tenants().values()) {
      permits |= holdPermits(plan.limits());
    }
    return new LaterRules(permits || !byResponse.isEmpty(), Set.copyOf(byResponse));
  }

  private static boolean holdPermits(List<Limit> limits) {
    return limits.stream().anyMatch(limit -> limit.kind() == Kind.CONCURRENCY);
  }

  /** Whether one of these draws is such. */
  boolean anyOf(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.pool().meter().limit().kind() == Kind.CONCURRENCY
          || byResponse.contains(draw.pool().rule())) {
        return true;
      }
    }
    return false;
  }
}
