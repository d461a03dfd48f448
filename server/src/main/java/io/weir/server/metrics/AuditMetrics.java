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
 * Shows, by rule, how what was let through compares with what the limit allows, and how good the
 * estimates of sliding windows are; as of the last {@link #refresh}.
 */
final class AuditMetrics {
  private final MeterRegistry registry;
  private final AdmissionAuditor witness;
  private final PerRuleMeters admissions;
  private final PerRuleMeters estimates;
  private volatile Map<String, AuditResult> accounts = Map.of();
  private volatile Set<String> folded = Set.of();

  AuditMetrics(MeterRegistry registry, AdmissionAuditor witness) {
    this.registry = registry;
    this.witness = witness;
    this.admissions = new PerRuleMeters(registry);
    this.estimates = new PerRuleMeters(registry);
  }

  /** Shows these rules and no others. */
  void rules(MeteredRules rules) {
    folded = rules.folded();
    admissions.rules(rules.labels(), this::admission);
    estimates.rules(rules.estimating(), this::estimate);
  }

  private List<Meter> admission(String rule) {
    return List.of(
        Gauge.builder("weir.over.admission.ratio", this, all -> all.overAdmission(rule))
            .description("What was admitted of a few keys as a part of what the limit allows")
            .tag("rule", rule)
            .register(registry));
  }

  /** Of rules without series of their own, the most of any. */
  private double overAdmission(String rule) {
    if (rule.equals(RuleDecisions.OTHER)) {
      return folded.stream().mapToDouble(this::ofOne).max().orElse(0);
    }
    return ofOne(rule);
  }

  private double ofOne(String rule) {
    AuditResult account = accounts.get(rule);
    return account == null ? 0 : account.overAdmission();
  }

  private List<Meter> estimate(String rule) {
    return List.of(
        Gauge.builder("weir.estimate.error.ratio", this, all -> all.estimateError(rule))
            .description("How far a sliding window's estimate was from a log of a few keys")
            .tag("rule", rule)
            .register(registry));
  }

  private double estimateError(String rule) {
    AuditResult account = accounts.get(rule);
    return account == null ? Double.NaN : account.estimateError();
  }

  void refresh() {
    accounts = witness.results();
  }
}
