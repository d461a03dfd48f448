package io.weir.server;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.rule.Limits;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.envoy.LiveLimit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules, and limits for Envoy, of which there is something to see besides decisions.
 *
 * @param ids all of them
 * @param estimating those whose limit is a sliding window, which estimates
 */
record ShownRules(Set<String> ids, Set<String> estimating) {
  static final ShownRules NONE = new ShownRules(Set.of(), Set.of());

  static ShownRules of(RuleSet rules) {
    Set<String> ids = new HashSet<>();
    Set<String> estimating = new HashSet<>();
    for (Rule rule : rules.rules()) {
      ids.add(rule.id());
      if (rule.limits() instanceof Limits.Listed listed
          && listed.limits().stream().anyMatch(ShownRules::estimates)) {
        estimating.add(rule.id());
      }
    }
    return new ShownRules(ids, estimating);
  }

  static ShownRules of(List<LiveLimit> limits) {
    Set<String> ids = new HashSet<>();
    Set<String> estimating = new HashSet<>();
    for (LiveLimit limit : limits) {
      ids.add(limit.id());
      if (estimates(limit.counted().limit())) {
        estimating.add(limit.id());
      }
    }
    return new ShownRules(ids, estimating);
  }

  private static boolean estimates(Limit limit) {
    return limit.algorithm() == Algorithm.SLIDING_WINDOW;
  }

  ShownRules and(ShownRules others) {
    Set<String> allIds = new HashSet<>(ids);
    allIds.addAll(others.ids);
    Set<String> allEstimating = new HashSet<>(estimating);
    allEstimating.addAll(others.estimating);
    return new ShownRules(allIds, allEstimating);
  }
}
