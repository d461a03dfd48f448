package io.weir.server.metrics;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.server.envoy.limit.CompiledLimit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules and Envoy limits that have metrics of the near store and the audit.
 *
 * @param ids rules with series of their own
 * @param estimating those of them with a sliding window, which estimates
 * @param folded rules that share the series of {@link RuleDecisions#OTHER}
 */
record MeteredRules(Set<String> ids, Set<String> estimating, Set<String> folded) {
  static final MeteredRules NONE = new MeteredRules(Set.of(), Set.of(), Set.of());

  /** The rules of a set; those in {@code own} have series of their own. */
  static MeteredRules of(RuleSet rules, Set<String> own) {
    Set<String> ids = new HashSet<>();
    Set<String> estimating = new HashSet<>();
    Set<String> folded = new HashSet<>();
    for (Rule rule : rules.rules()) {
      if (!own.contains(rule.id())) {
        folded.add(rule.id());
        continue;
      }
      ids.add(rule.id());
      if (rule.limits() instanceof RuleLimits.Listed listed
          && listed.limits().stream().anyMatch(MeteredRules::estimates)) {
        estimating.add(rule.id());
      }
    }
    return new MeteredRules(ids, estimating, folded);
  }

  static MeteredRules of(List<CompiledLimit> limits) {
    Set<String> ids = new HashSet<>();
    Set<String> estimating = new HashSet<>();
    for (CompiledLimit limit : limits) {
      ids.add(limit.id());
      if (estimates(limit.counted().limit())) {
        estimating.add(limit.id());
      }
    }
    return new MeteredRules(ids, estimating, Set.of());
  }

  private static boolean estimates(Limit limit) {
    return limit.algorithm() == Algorithm.SLIDING_WINDOW;
  }

  MeteredRules and(MeteredRules others) {
    Set<String> allIds = new HashSet<>(ids);
    allIds.addAll(others.ids);
    Set<String> allEstimating = new HashSet<>(estimating);
    allEstimating.addAll(others.estimating);
    Set<String> allFolded = new HashSet<>(folded);
    allFolded.addAll(others.folded);
    return new MeteredRules(allIds, allEstimating, allFolded);
  }

  /** The values of the label {@code rule}: {@link #ids}, and the shared one if it is needed. */
  Set<String> labels() {
    Set<String> labels = new HashSet<>(ids);
    if (!folded.isEmpty()) {
      labels.add(RuleDecisions.OTHER);
    }
    return labels;
  }
}
