package io.weir.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.near.NearStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Shows what stands before the shared store: tokens in hand and calls for more, by rule, and how
 * many keys are hot. What it shows is as of the last {@link #refresh}, so that a scrape looks at
 * all leases once and not once per rule.
 */
final class NearStoreMetrics {
  private final MeterRegistry registry;
  private final NearStore tier;
  private final HotKeyLogger hotKeys;
  private final PerRuleMeters shown;
  private volatile Map<String, Long> leased = Map.of();
  private volatile Map<String, Long> refills = Map.of();
  private volatile Set<String> folded = Set.of();
  private long refillsOfOthers;

  NearStoreMetrics(MeterRegistry registry, NearStore tier, HotKeyAdvisor advisor) {
    this.registry = registry;
    this.shown = new PerRuleMeters(registry);
    this.tier = tier;
    this.hotKeys = new HotKeyLogger(tier.hotKeys(), advisor);
    Gauge.builder("weir.hot.keys", hotKeys, HotKeyLogger::count)
        .description("Keys that this instance is asked for more than 1,000 times a second")
        .strongReference(true)
        .register(registry);
  }

  /** Shows these rules and no others. */
  void rules(MeteredRules rules) {
    folded = rules.folded();
    shown.rules(rules.labels(), this::show);
  }

  private List<Meter> show(String rule) {
    List<Meter> meters = new ArrayList<>();
    meters.add(
        Gauge.builder("weir.leased.tokens", this, all -> all.leased.getOrDefault(rule, 0L))
            .description("Tokens that this instance has in hand")
            .tag("rule", rule)
            .register(registry));
    meters.add(
        FunctionCounter.builder(
                "weir.lease.refills", this, all -> all.refills.getOrDefault(rule, 0L))
            .description("Calls that spoke of leases and that the store answered")
            .tag("rule", rule)
            .register(registry));
    return meters;
  }

  synchronized void refresh() {
    leased = withOthers(tier.leased());
    refills = withRefillsOfOthers(tier.refills());
    logHotKeyAdvice();
  }

  /** What rules without series of their own have, all together. */
  private Map<String, Long> withOthers(Map<String, Long> byRule) {
    if (folded.isEmpty()) {
      return byRule;
    }
    Map<String, Long> all = new HashMap<>(byRule);
    all.put(
        RuleDecisions.OTHER,
        folded.stream().mapToLong(rule -> byRule.getOrDefault(rule, 0L)).sum());
    return all;
  }

  /** The same for a number that never goes down, also if a rule goes: what was added is added. */
  private Map<String, Long> withRefillsOfOthers(Map<String, Long> byRule) {
    Map<String, Long> before = refills;
    for (String rule : folded) {
      long more = byRule.getOrDefault(rule, 0L) - before.getOrDefault(rule, 0L);
      refillsOfOthers += Math.max(0, more);
    }
    Map<String, Long> all = new HashMap<>(byRule);
    all.put(RuleDecisions.OTHER, refillsOfOthers);
    return all;
  }

  /** How many keys were hot at the last look. */
  int hotKeyCount() {
    return hotKeys.count();
  }

  /** Looks for hot keys, and says in the log what would help: also where nobody scrapes. */
  void logHotKeyAdvice() {
    hotKeys.logAdvice();
  }
}
