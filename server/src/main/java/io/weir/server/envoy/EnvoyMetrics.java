package io.weir.server.envoy;

import io.micrometer.core.instrument.Meter;
import io.weir.server.envoy.EnvoyStats.Counts;
import io.weir.server.envoy.EnvoyStats.Stat;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyDecision;
import io.weir.server.envoy.quota.QuotaService;
import io.weir.server.metrics.ConfigStaleness;
import io.weir.server.metrics.Metrics;
import io.weir.server.metrics.PerRuleMeters;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Metrics of Envoy's rate limit service: decisions per limit, in the same series as those of Weir's
 * own rules, and hits under the names that envoyproxy/ratelimit uses.
 */
final class EnvoyMetrics {
  private static final String HITS = "weir.envoy.hits";
  private static final String LOADS = "weir.envoy.config.loads";
  private static final String REQUESTS = "weir.envoy.requests";

  /** Counts per decision; all other counts are hits. */
  private static final Set<Stat> OUTCOMES =
      EnumSet.of(
          Stat.ALLOWED,
          Stat.DENIED,
          Stat.SHADOW_DENIED,
          Stat.DEGRADED_ALLOWED,
          Stat.DEGRADED_DENIED);

  private final Metrics metrics;
  private final EnvoyStats stats;
  private final LongAdder loads = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final PerRuleMeters shown;

  EnvoyMetrics(Metrics metrics, EnvoyStats stats, QuotaService quotas) {
    this.metrics = metrics;
    this.stats = stats;
    this.shown = metrics.metersByRule();
    for (EnvoyDecision.Outcome outcome : EnvoyDecision.Outcome.values()) {
      requests(outcome.name().toLowerCase(Locale.ROOT), stats.requests(outcome));
    }
    requests("invalid", stats.badRequests());
    loads("success", loads);
    loads("error", failures);
    quotas("allowed", quotas.allowed());
    quotas("denied", quotas.denied());
    metrics.gauge(
        "weir.quota.streams",
        "Connected Envoys that receive quotas",
        quotas,
        QuotaService::streams);
    metrics.gauge(
        "weir.quota.buckets", "Quota buckets in use by Envoys", quotas, QuotaService::buckets);
  }

  private void quotas(String outcome, LongAdder count) {
    String what = "Requests that Envoys decided by their quotas, from their reports";
    metrics.counter("weir.quota.requests", what, count, LongAdder::sum, "outcome", outcome);
  }

  private void requests(String outcome, LongAdder count) {
    String what = "Requests to Envoy's rate limit service";
    metrics.counter(REQUESTS, what, count, LongAdder::sum, "outcome", outcome);
  }

  private void loads(String outcome, LongAdder count) {
    String what = "Loads of the Envoy configuration";
    metrics.counter(LOADS, what, count, LongAdder::sum, "outcome", outcome);
  }

  /** A configuration has come into force. */
  synchronized void onLoad(EnvoyConfig config) {
    loads.increment();
    Map<String, Counts> counts = stats.limits(config);
    shown.rules(counts.keySet(), id -> show(id, counts.get(id)));
    metrics.envoyLimits(
        config.limits().stream()
            .filter(limit -> counts.containsKey(limit.id()) && !limit.isUnlimited())
            .toList());
  }

  /** A configuration was invalid and has been rejected. */
  void onLoadFailure() {
    failures.increment();
  }

  /** How long the files have been invalid, so that an older configuration is in force. */
  ConfigStaleness staleness() {
    return metrics.staleness();
  }

  private List<Meter> show(String id, Counts counts) {
    return Arrays.stream(Stat.values()).map(stat -> show(id, stat, counts.of(stat))).toList();
  }

  private Meter show(String id, Stat stat, LongAdder count) {
    return metrics.counter(name(stat), what(stat), count, LongAdder::sum, tags(id, stat));
  }

  private static String name(Stat stat) {
    return OUTCOMES.contains(stat) ? Metrics.DECISIONS : HITS;
  }

  private static String what(Stat stat) {
    return OUTCOMES.contains(stat) ? Metrics.DECISIONS_HELP : "Hits on Envoy limits";
  }

  private static String[] tags(String id, Stat stat) {
    String label = OUTCOMES.contains(stat) ? "outcome" : "stat";
    return new String[] {"rule", id, label, stat.name().toLowerCase(Locale.ROOT)};
  }
}
