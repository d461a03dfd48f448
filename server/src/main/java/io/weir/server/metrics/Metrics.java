package io.weir.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Reason;
import io.weir.guard.NewKeyCap;
import io.weir.near.NearStore;
import io.weir.observe.AdmissionAuditor;
import io.weir.rule.Bypass;
import io.weir.rule.RuleSet;
import io.weir.server.envoy.limit.CompiledLimit;
import io.weir.server.http.InternalErrors;
import io.weir.server.metrics.DecisionCounts.Outcome;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions and exposes the counts to Prometheus.
 *
 * <p>An allowed call counts as {@code allowed} for every rule that was evaluated. A refused call
 * counts as {@code denied} for every rule that refused it. A rule in shadow mode that would have
 * refused counts {@code shadow_denied} in both cases. If the store was unavailable, the outcome is
 * {@code degraded_allowed} or {@code degraded_denied} instead. A call that no rule matches counts
 * for the rule {@code ""}, one with its own limit for {@code /ratelimit/check}. Label values are
 * ids from the rule document and nothing else, and {@link RuleDecisions} bounds their number. A
 * decision increments counters that were looked up when the rules were loaded.
 */
public final class Metrics implements DecisionListener {
  /** The rule label of limits that come with the request. */
  public static final String AD_HOC_RULE = "/ratelimit/check";

  public static final String DECISIONS = "weir.decisions";
  public static final String DECISIONS_HELP = "Decisions by rule and outcome";

  private static final Duration[] DECISION_BUCKETS =
      LongStream.of(50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 1_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1000))
          .toArray(Duration[]::new);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final StoreMetrics store = new StoreMetrics(registry);
  private final InternalErrors errors;
  private final DecisionCounts noRule = DecisionCounts.zero();
  private final LongAdder rulesVersion = new LongAdder();
  private volatile LongSupplier versionInForce = () -> 0;
  public final CallCounts calls = new CallCounts();
  private final Timer decisionTimes;
  private final Timer propagation;
  private final ConfigStaleness staleness = new ConfigStaleness(SystemTime.INSTANCE);
  private volatile Map<String, LongAdder> byToken = Map.of();
  private final Map<DecisionSource, LongAdder> bySource = new EnumMap<>(DecisionSource.class);
  private final DecisionCounts adHoc = DecisionCounts.zero();
  private final RuleDecisions byRule = new RuleDecisions(this);
  private final PerRuleMeters shownTokens = new PerRuleMeters(registry);
  private MeteredRules ofRules = MeteredRules.NONE;
  private MeteredRules ofEnvoy = MeteredRules.NONE;
  private volatile @Nullable NearStoreMetrics nearStoreMetrics;
  private volatile @Nullable AuditMetrics auditMetrics;

  public Metrics(InternalErrors errors) {
    this.errors = errors;
    counter("weir.internal.errors", "Unexpected errors", errors, InternalErrors::count);
    decisions("", Outcome.ALLOWED.label(), noRule.of(Outcome.ALLOWED), LongAdder::sum);
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.SHADOW_DENIED) {
        decisions(AD_HOC_RULE, outcome.label(), adHoc.of(outcome), LongAdder::sum);
      }
    }
    for (DecisionSource source : DecisionSource.values()) {
      LongAdder count = new LongAdder();
      bySource.put(source, count);
      counter("weir.answers", "Decisions by source", count, LongAdder::sum, "source", source.id());
    }
    gauge(
        "weir.rules.version",
        "The version of the rules in force; without versions, rule sets loaded since start",
        this,
        Metrics::rulesVersion);
    gauge(
        "weir.rules.folded",
        "Rules without series of their own, counted as rule=\"_other\"",
        byRule,
        RuleDecisions::folded);
    gauge(
        "weir.rules.stale.seconds",
        "How long the rule files have been invalid, so that older rules are in force",
        staleness,
        ConfigStaleness::seconds);
    this.decisionTimes =
        Timer.builder("weir.decision")
            .description("Duration of decisions, from request to response")
            .serviceLevelObjectives(DECISION_BUCKETS)
            .register(registry);
    this.propagation =
        Timer.builder("weir.rules.propagation")
            .description("Time from the change of a rule file until the rules are in force")
            .register(registry);
  }

  /** Records the time until changed rules were in force; negative if clocks differ. */
  public void onRulesPropagated(Duration took) {
    propagation.record(took.isNegative() ? Duration.ZERO : took);
  }

  /** Records the duration of a decision, in µs. */
  public void onDecisionTime(long micros) {
    decisionTimes.record(Math.max(0, micros), TimeUnit.MICROSECONDS);
  }

  /** How long the configuration files have been invalid. */
  public ConfigStaleness staleness() {
    return staleness;
  }

  /** Registers a gauge. */
  public <T> void gauge(
      String name, String what, T source, ToDoubleFunction<T> value, String... tags) {
    Gauge.builder(name, source, value)
        .description(what)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  /** Registers the counter of the new-key cap. */
  public void registerNewKeyCap(NewKeyCap cap) {
    counter(
        "weir.capped.draws",
        "Draws from the bucket shared by the keys of an address with too many new keys",
        cap,
        NewKeyCap::cappedDraws);
  }

  /** Registers the metrics of the near store. */
  public void registerNearStore(NearStore near, HotKeyAdvisor advisor) {
    nearStoreMetrics = new NearStoreMetrics(registry, near, advisor);
  }

  /** Logs advice on hot keys. */
  public void logHotKeyAdvice() {
    NearStoreMetrics near = nearStoreMetrics;
    if (near != null) {
      near.logHotKeyAdvice();
    }
  }

  /** Registers the metrics of the admission audit. */
  public void registerAudit(AdmissionAuditor audit) {
    auditMetrics = new AuditMetrics(registry, audit);
  }

  /** Receives unexpected errors. */
  public InternalErrors errors() {
    return errors;
  }

  /** The metrics of the nodes of a shared store. */
  public StoreMetrics store() {
    return store;
  }

  /** The decisions of a rule by outcome; empty for an unknown rule. */
  public Map<String, Long> outcomesOf(String rule) {
    Map<String, Long> counts = new LinkedHashMap<>();
    DecisionCounts known = byRule.of(rule);
    if (known != null) {
      known.byOutcome().forEach((outcome, count) -> counts.put(outcome.label(), count.sum()));
    }
    return counts;
  }

  /** The number of rules without series of their own. */
  public int folded() {
    return byRule.folded();
  }

  /** The number of calls that no rule matched. */
  public long unmatched() {
    return noRule.of(Outcome.ALLOWED).sum();
  }

  /** The number of uses of bypass tokens. */
  public long bypassed() {
    return byToken.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** The number of decisions by source. */
  public Map<String, Long> answers() {
    Map<String, Long> counts = new LinkedHashMap<>();
    bySource.forEach((source, count) -> counts.put(source.id(), count.sum()));
    return counts;
  }

  /** The version of the rules in force; without versions, rule sets loaded since start. */
  public long rulesVersion() {
    long version = versionInForce.getAsLong();
    return version > 0 ? version : rulesVersion.sum();
  }

  /** Shows the version of the control plane; 0 stands for none. */
  public void versionInForce(LongSupplier version) {
    versionInForce = version;
  }

  /** The number of hot keys at the last check. */
  public int hotKeys() {
    NearStoreMetrics near = nearStoreMetrics;
    return near == null ? 0 : near.hotKeyCount();
  }

  /** Registers a counter. */
  public <T> Meter counter(
      String name, String what, T source, ToDoubleFunction<T> value, String... tags) {
    return FunctionCounter.builder(name, source, value)
        .description(what)
        .tags(tags)
        .register(registry);
  }

  /** Creates an empty set of meters per rule. */
  public PerRuleMeters metersByRule() {
    return new PerRuleMeters(registry);
  }

  /** Registers the counter of a rule's decisions with one outcome. */
  <T> Meter decisions(String rule, String outcome, T source, ToDoubleFunction<T> count) {
    String[] tags = {"rule", rule, "outcome", outcome};
    return counter(DECISIONS, DECISIONS_HELP, source, count, tags);
  }

  /** Registers the counter of upstream responses with one outcome. */
  public void upstream(String outcome, LongAdder count) {
    counter(
        "weir.upstream.responses",
        "Responses of the gateway's upstreams",
        count,
        LongAdder::sum,
        "outcome",
        outcome);
  }

  /** Creates counters for new rules, and removes those of rules that are gone. */
  public synchronized void rules(RuleSet rules) {
    byRule.rules(rules);
    Map<String, LongAdder> tokens = new HashMap<>();
    for (Bypass bypass : rules.bypasses()) {
      LongAdder known = byToken.get(bypass.id());
      tokens.put(bypass.id(), known == null ? new LongAdder() : known);
    }
    shownTokens.rules(tokens.keySet(), id -> showToken(id, tokens.get(id)));
    byToken = tokens;
    ofRules = MeteredRules.of(rules, byRule.own());
    registerStoreMetrics();
    rulesVersion.increment();
  }

  /** Registers the metrics of the near store and the audit for these Envoy limits too. */
  public synchronized void envoyLimits(List<CompiledLimit> limits) {
    ofEnvoy = MeteredRules.of(limits);
    registerStoreMetrics();
  }

  private void registerStoreMetrics() {
    MeteredRules all = ofRules.and(ofEnvoy);
    NearStoreMetrics near = nearStoreMetrics;
    if (near != null) {
      near.rules(all);
    }
    AuditMetrics audit = auditMetrics;
    if (audit != null) {
      audit.rules(all);
    }
  }

  private List<Meter> showToken(String token, LongAdder uses) {
    return List.of(
        decisions(token, "bypassed", uses, LongAdder::sum),
        counter("weir.bypass", "Uses of bypass tokens", uses, LongAdder::sum, "token", token));
  }

  /** Counts the source of a decision, from any front end. */
  public void onAnswer(DecisionSource source) {
    Objects.requireNonNull(bySource.get(source)).increment();
  }

  @Override
  public void onDecision(Call call, Decision decision) {
    calls.add(decision);
    List<LimitStatus> statuses = decision.statuses();
    if (statuses.isEmpty()) {
      countImmediate(decision);
      return;
    }
    onAnswer(decision.source());
    for (int i = 0; i < statuses.size(); ) {
      LimitStatus first = statuses.get(i);
      boolean admits = true;
      boolean degraded = false;
      // The limits of one rule are adjacent.
      for (; i < statuses.size() && statuses.get(i).rule().equals(first.rule()); i++) {
        admits &= statuses.get(i).allowed();
        degraded |= statuses.get(i).degraded();
      }
      if (!admits || decision.allowed()) {
        count(first, outcome(first, admits, degraded));
      }
    }
  }

  private static Outcome outcome(LimitStatus status, boolean admits, boolean degraded) {
    if (admits) {
      return degraded ? Outcome.DEGRADED_ALLOWED : Outcome.ALLOWED;
    }
    if (status.mode() != Mode.ENFORCE) {
      return Outcome.SHADOW_DENIED;
    }
    return degraded ? Outcome.DEGRADED_DENIED : Outcome.DENIED;
  }

  private void count(LimitStatus status, Outcome outcome) {
    DecisionCounts counts = byRule.of(status.rule());
    if (counts != null) { // null if the rule was removed meanwhile
      counts.of(outcome).increment();
    }
  }

  /** Counts a decision by a limit of the request itself; all such limits share one series. */
  public void onAdHocDecision(LimitStatus status) {
    adHoc.of(outcome(status, status.allowed(), status.degraded())).increment();
  }

  @Override
  public void onError(Throwable error) {
    errors.report(error);
  }

  private void countImmediate(Decision decision) {
    String id = decision.rule().orElse("");
    if (decision.reason() == Reason.BYPASSED) {
      LongAdder uses = byToken.get(id);
      if (uses != null) {
        uses.increment();
      }
    } else if (id.isEmpty()) {
      noRule.of(Outcome.ALLOWED).increment();
    } else {
      DecisionCounts counts = byRule.of(id);
      if (counts != null) {
        counts.of(Outcome.DENIED).increment();
      }
    }
  }

  /** All metrics, in the text format of Prometheus. */
  public String scrape() {
    NearStoreMetrics near = nearStoreMetrics;
    if (near != null) {
      near.refresh();
    }
    AuditMetrics audit = auditMetrics;
    if (audit != null) {
      audit.refresh();
    }
    return registry.scrape();
  }
}
