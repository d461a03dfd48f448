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
import io.weir.server.check.AdHocLimits;
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
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions and shows the counts to Prometheus.
 *
 * <p>A call that passes counts as {@code allowed} for every rule that was asked, one that does not
 * as {@code denied} for every rule that refused it; a rule in shadow that would have refused counts
 * {@code shadow_denied} either way. Where the store was away it is {@code degraded_allowed} or
 * {@code degraded_denied} instead. A call that no rule is about counts for the rule {@code ""}, one
 * that brings its limit along for {@code /ratelimit/check}. Labels are ids from the rule document
 * and nothing else, and {@link RuleDecisions} bounds their number. A decision adds to counters that
 * were found when the rules were loaded.
 */
public final class Metrics implements DecisionListener {
  public static final String DECISIONS = "weir.decisions";
  public static final String WHAT_DECISIONS_ARE = "What rules decided";

  private static final Duration[] DECISION_BUCKETS =
      LongStream.of(50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 1_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1000))
          .toArray(Duration[]::new);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final StoreMetrics store = new StoreMetrics(registry);
  private final InternalErrors faults;
  private final DecisionCounts noRule = DecisionCounts.zero();
  private final LongAdder rulesVersion = new LongAdder();
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
  private volatile @Nullable NearStoreMetrics tier;
  private volatile @Nullable AuditMetrics witness;

  public Metrics(InternalErrors faults) {
    this.faults = faults;
    counter("weir.internal.errors", "Errors that should not happen", faults, InternalErrors::count);
    decisions("", Outcome.ALLOWED.label(), noRule.of(Outcome.ALLOWED), LongAdder::sum);
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.SHADOW_DENIED) {
        decisions(AdHocLimits.NAME, outcome.label(), adHoc.of(outcome), LongAdder::sum);
      }
    }
    for (DecisionSource source : DecisionSource.values()) {
      LongAdder count = new LongAdder();
      bySource.put(source, count);
      counter("weir.answers", "Who answered", count, LongAdder::sum, "source", source.id());
    }
    gauge("weir.rules.version", "Rule sets taken over since start", rulesVersion, LongAdder::sum);
    gauge(
        "weir.rules.folded",
        "Rules without series of their own, shown together as rule=\"_other\"",
        byRule,
        RuleDecisions::folded);
    gauge(
        "weir.rules.stale.seconds",
        "For how long the rules in use are not those that were written, as these are invalid",
        staleness,
        ConfigStaleness::seconds);
    this.decisionTimes =
        Timer.builder("weir.decision")
            .description("How long decisions take, from the question to the answer")
            .serviceLevelObjectives(DECISION_BUCKETS)
            .register(registry);
    this.propagation =
        Timer.builder("weir.rules.propagation")
            .description("How long changed rules take from being written to being in force")
            .register(registry);
  }

  /** Notes how long changed rules took until they were in force; clocks may differ. */
  public void onRulesPropagated(Duration took) {
    propagation.record(took.isNegative() ? Duration.ZERO : took);
  }

  /** Counts a decision that took this long. */
  public void onDecisionTime(long micros) {
    decisionTimes.record(Math.max(0, micros), TimeUnit.MICROSECONDS);
  }

  /** Whether what was written is in use. */
  public ConfigStaleness staleness() {
    return staleness;
  }

  /** Shows a number that goes up and down. */
  public <T> void gauge(String name, String what, T source, ToDoubleFunction<T> value) {
    Gauge.builder(name, source, value).description(what).strongReference(true).register(registry);
  }

  /** Shows how much was too much from one address. */
  public void registerNewKeyCap(NewKeyCap newcomers) {
    counter(
        "weir.capped.draws",
        "Draws from buckets that an address's keys share, as it brought too many new ones",
        newcomers,
        NewKeyCap::cappedDraws);
  }

  /** Shows what stands before a shared store too. */
  public void registerNearStore(NearStore before, HotKeyAdvisor advisor) {
    tier = new NearStoreMetrics(registry, before, advisor);
  }

  /** Says in the log what would help keys that are asked for very often. */
  public void logHotKeyAdvice() {
    NearStoreMetrics before = tier;
    if (before != null) {
      before.logHotKeyAdvice();
    }
  }

  /** Shows what was counted again beside the store. */
  public void registerAudit(AdmissionAuditor beside) {
    witness = new AuditMetrics(registry, beside);
  }

  /** Where errors are reported that should not happen. */
  public InternalErrors faults() {
    return faults;
  }

  /** Who counts how the nodes of a shared store answer. */
  public StoreMetrics store() {
    return store;
  }

  /** What a rule said so far, by outcome; nothing for one that is not there. */
  public Map<String, Long> outcomesOf(String rule) {
    Map<String, Long> counts = new LinkedHashMap<>();
    DecisionCounts known = byRule.of(rule);
    if (known != null) {
      known.byOutcome().forEach((outcome, count) -> counts.put(outcome.label(), count.sum()));
    }
    return counts;
  }

  /** How many rules have no series of their own. */
  public int folded() {
    return byRule.folded();
  }

  /** How many calls no rule was about. */
  public long unmatched() {
    return noRule.of(Outcome.ALLOWED).sum();
  }

  /** How often bypass tokens were used. */
  public long bypassed() {
    return byToken.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** How many calls were answered, by who did. */
  public Map<String, Long> answers() {
    Map<String, Long> counts = new LinkedHashMap<>();
    bySource.forEach((source, count) -> counts.put(source.id(), count.sum()));
    return counts;
  }

  /** How many rule sets were taken over since start. */
  public long rulesVersion() {
    return rulesVersion.sum();
  }

  /** How many keys were hot at the last look. */
  public int hotKeys() {
    NearStoreMetrics before = tier;
    return before == null ? 0 : before.hotKeyCount();
  }

  /** Shows a number that only goes up. */
  public <T> Meter counter(
      String name, String what, T source, ToDoubleFunction<T> value, String... tags) {
    return FunctionCounter.builder(name, source, value)
        .description(what)
        .tags(tags)
        .register(registry);
  }

  /** Numbers of rules that come and go, none shown yet. */
  public PerRuleMeters metersByRule() {
    return new PerRuleMeters(registry);
  }

  /** Shows how often a rule came to a decision. */
  <T> Meter decisions(String rule, String outcome, T source, ToDoubleFunction<T> count) {
    String[] tags = {"rule", rule, "outcome", outcome};
    return counter(DECISIONS, WHAT_DECISIONS_ARE, source, count, tags);
  }

  /** Shows how often upstreams answered in this way. */
  public void upstream(String outcome, LongAdder count) {
    counter(
        "weir.upstream.responses",
        "What upstreams of the gateway answered",
        count,
        LongAdder::sum,
        "outcome",
        outcome);
  }

  /**
   * Makes counters for the rules that hold from now on, and forgets those of rules that are gone.
   */
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

  /** Shows of these limits for Envoy too what stands before a shared store and beside it. */
  public synchronized void envoyLimits(List<CompiledLimit> limits) {
    ofEnvoy = MeteredRules.of(limits);
    registerStoreMetrics();
  }

  private void registerStoreMetrics() {
    MeteredRules all = ofRules.and(ofEnvoy);
    NearStoreMetrics before = tier;
    if (before != null) {
      before.rules(all);
    }
    AuditMetrics beside = witness;
    if (beside != null) {
      beside.rules(all);
    }
  }

  private List<Meter> showToken(String token, LongAdder uses) {
    return List.of(
        decisions(token, "bypassed", uses, LongAdder::sum),
        counter("weir.bypass", "Uses of bypass tokens", uses, LongAdder::sum, "token", token));
  }

  /** Counts an answer, whichever front end asked. */
  public void onAnswer(DecisionSource source) {
    Objects.requireNonNull(bySource.get(source)).increment();
  }

  @Override
  public void onDecision(Call call, Decision decision) {
    calls.add(decision);
    List<LimitStatus> standings = decision.statuses();
    if (standings.isEmpty()) {
      countImmediate(decision);
      return;
    }
    onAnswer(decision.source());
    for (int i = 0; i < standings.size(); ) {
      LimitStatus first = standings.get(i);
      boolean admits = true;
      boolean degraded = false;
      // The limits of one rule stand together.
      for (; i < standings.size() && standings.get(i).rule().equals(first.rule()); i++) {
        admits &= standings.get(i).allowed();
        degraded |= standings.get(i).degraded();
      }
      if (!admits || decision.allowed()) {
        count(first, outcome(first, admits, degraded));
      }
    }
  }

  private static Outcome outcome(LimitStatus standing, boolean admits, boolean degraded) {
    if (admits) {
      return degraded ? Outcome.DEGRADED_ALLOWED : Outcome.ALLOWED;
    }
    if (standing.mode() != Mode.ENFORCE) {
      return Outcome.SHADOW_DENIED;
    }
    return degraded ? Outcome.DEGRADED_DENIED : Outcome.DENIED;
  }

  private void count(LimitStatus standing, Outcome outcome) {
    DecisionCounts counts = byRule.of(standing.rule());
    if (counts != null) { // a rule that was removed a moment ago counts no more
      counts.of(outcome).increment();
    }
  }

  /** Counts a decision by a limit that the caller brought along; all of these are alike. */
  public void onAdHocDecision(LimitStatus standing) {
    adHoc.of(outcome(standing, standing.allowed(), standing.degraded())).increment();
  }

  @Override
  public void onError(Throwable error) {
    faults.report(error);
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

  /** Everything, in the text format of Prometheus. */
  public String scrape() {
    NearStoreMetrics before = tier;
    if (before != null) {
      before.refresh();
    }
    AuditMetrics beside = witness;
    if (beside != null) {
      beside.refresh();
    }
    return registry.scrape();
  }
}
