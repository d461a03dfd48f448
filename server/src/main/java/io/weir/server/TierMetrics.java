package io.weir.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.tier.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Shows what stands before the shared store: tokens in hand and calls for more, by rule, and how
 * many keys are hot. What it shows is as of the last {@link #refresh}, so that a scrape looks at
 * all leases once and not once per rule.
 */
final class TierMetrics {
  private final MeterRegistry registry;
  private final Tier tier;
  private final HotKeyNotes hotKeys;
  private final MetersByRule shown;
  private volatile Map<String, Long> leased = Map.of();
  private volatile Map<String, Long> refills = Map.of();

  TierMetrics(MeterRegistry registry, Tier tier, HotKeyAdvisor advisor) {
    this.registry = registry;
    this.shown = new MetersByRule(registry);
    this.tier = tier;
    this.hotKeys = new HotKeyNotes(tier.hotKeys(), advisor);
    Gauge.builder("weir.hot.keys", hotKeys, HotKeyNotes::count)
        .description("Keys that this instance is asked for more than 1,000 times a second")
        .strongReference(true)
        .register(registry);
  }

  /** Shows these rules and no others. */
  void rules(ShownRules rules) {
    shown.rules(rules.ids(), this::show);
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

  void refresh() {
    leased = tier.leased();
    refills = tier.refills();
    lookAtHotKeys();
  }

  /** How many keys were hot at the last look. */
  int hotKeyCount() {
    return hotKeys.count();
  }

  /** Looks for hot keys, and says in the log what would help: also where nobody scrapes. */
  void lookAtHotKeys() {
    hotKeys.look();
  }
}
