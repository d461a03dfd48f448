package io.weir.server.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.observe.AdmissionAuditor;
import io.weir.observe.AdmissionAuditor.AuditResult;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Metrics of the admission audit, per rule: admitted calls relative to the limit, and the error of
 * sliding-window estimates. Values are as of the last {@link #refresh}.
 */
final class AuditMetrics {
  private final MeterRegistry registry;
  private final AdmissionAuditor auditor;
  private final PerRuleMeters admissions;
  private final PerRuleMeters estimates;
  private volatile Map<String, AuditResult> results = Map.of();
  private volatile Set<String> folded = Set.of();

  AuditMetrics(MeterRegistry registry, AdmissionAuditor auditor) {
    this.registry = registry;
    this.auditor = auditor;
    this.admissions = new PerRuleMeters(registry);
    this.estimates = new PerRuleMeters(registry);
  }

  /** Registers meters for these rules, and removes all others. */
  void rules(MeteredRules rules) {
    folded = rules.folded();
    admissions.rules(rules.labels(), this::admission);
    estimates.rules(rules.estimating(), this::estimate);
  }

  private List<Meter> admission(String rule) {
    return List.of(
        Gauge.builder("weir.over.admission.ratio", this, all -> all.overAdmission(rule))
            .description("Admitted calls of sampled keys, as a fraction of what the limit allows")
            .tag("rule", rule)
            .register(registry));
  }

  /** For the rules without series of their own: the maximum of all. */
  private double overAdmission(String rule) {
    if (rule.equals(RuleDecisions.OTHER)) {
      return folded.stream().mapToDouble(this::ofOne).max().orElse(0);
    }
    return ofOne(rule);
  }

  private double ofOne(String rule) {
    AuditResult result = results.get(rule);
    return result == null ? 0 : result.overAdmission();
  }

  private List<Meter> estimate(String rule) {
    return List.of(
        Gauge.builder("weir.estimate.error.ratio", this, all -> all.estimateError(rule))
            .description(
                "Error of sliding-window estimates, measured against a log of sampled keys")
            .tag("rule", rule)
            .register(registry));
  }

  private double estimateError(String rule) {
    AuditResult result = results.get(rule);
    return result == null ? Double.NaN : result.estimateError();
  }

  void refresh() {
    results = auditor.results();
  }
}
