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
 * Metrics of the near store: leased tokens and refills per rule, and the number of hot keys. Values
 * are as of the last {@link #refresh}, so that a scrape reads all leases once, not once per rule.
 */
final class NearStoreMetrics {
  private final MeterRegistry registry;
  private final NearStore nearStore;
  private final HotKeyLogger hotKeys;
  private final PerRuleMeters shown;
  private volatile Map<String, Long> leased = Map.of();
  private volatile Map<String, Long> refills = Map.of();
  private volatile Set<String> folded = Set.of();
  private long refillsOfOthers;

  NearStoreMetrics(MeterRegistry registry, NearStore nearStore, HotKeyAdvisor advisor) {
    this.registry = registry;
    this.shown = new PerRuleMeters(registry);
    this.nearStore = nearStore;
    this.hotKeys = new HotKeyLogger(nearStore.hotKeys(), advisor);
    Gauge.builder("weir.hot.keys", hotKeys, HotKeyLogger::count)
        .description("Keys with more than 1,000 calls per second on this instance")
        .strongReference(true)
        .register(registry);
  }

  /** Registers meters for these rules, and removes all others. */
  void rules(MeteredRules rules) {
    folded = rules.folded();
    shown.rules(rules.labels(), this::show);
  }

  private List<Meter> show(String rule) {
    List<Meter> meters = new ArrayList<>();
    meters.add(
        Gauge.builder("weir.leased.tokens", this, all -> all.leased.getOrDefault(rule, 0L))
            .description("Tokens that this instance holds on lease")
            .tag("rule", rule)
            .register(registry));
    meters.add(
        FunctionCounter.builder(
                "weir.lease.refills", this, all -> all.refills.getOrDefault(rule, 0L))
            .description("Lease requests that the store answered")
            .tag("rule", rule)
            .register(registry));
    return meters;
  }

  synchronized void refresh() {
    leased = withOthers(nearStore.leased());
    refills = withRefillsOfOthers(nearStore.refills());
    logHotKeyAdvice();
  }

  /** Adds the sum of the rules without series of their own. */
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

  /** Adds the sum of the increments, which never decreases, even if a rule is removed. */
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

  /** The number of hot keys at the last check. */
  int hotKeyCount() {
    return hotKeys.count();
  }

  /** Checks for hot keys and logs advice; also called by a timer, in case there are no scrapes. */
  void logHotKeyAdvice() {
    hotKeys.logAdvice();
  }
}
