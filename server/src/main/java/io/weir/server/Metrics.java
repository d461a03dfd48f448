package io.weir.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Mode;
import io.weir.Reason;
import io.weir.Standing;
import io.weir.rule.Bypass;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Counts decisions and shows the counts to Prometheus.
 *
 * <p>A call that passes counts as {@code allowed} for every rule that was asked, one that does not
 * as {@code denied} for every rule that refused it; a rule in shadow that would have refused counts
 * {@code shadow_denied} either way. A call that no rule is about counts for the rule {@code ""}.
 * Labels are ids from the rule document and nothing else, so there are never more series than
 * rules. A decision adds to counters that were found when the rules were loaded.
 */
final class Metrics implements DecisionListener {
  private static final String DECISIONS = "weir.decisions";

  /** What one rule said so far. */
  private record Counts(LongAdder allowed, LongAdder denied, LongAdder shadowDenied) {
    static Counts zero() {
      return new Counts(new LongAdder(), new LongAdder(), new LongAdder());
    }
  }

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Counts noRule = Counts.zero();
  private final LongAdder rulesVersion = new LongAdder();
  private volatile Map<String, Counts> byRule = Map.of();
  private volatile Map<String, LongAdder> byToken = Map.of();

  Metrics(Faults faults) {
    counter("weir.internal.errors", "Errors that should not happen", faults, Faults::count);
    decisions("", "allowed", noRule.allowed());
    gauge("weir.rules.version", "Rule sets taken over since start", rulesVersion, LongAdder::sum);
  }

  /** Shows a number that goes up and down. */
  <T> void gauge(String name, String what, T source, ToDoubleFunction<T> value) {
    Gauge.builder(name, source, value).description(what).strongReference(true).register(registry);
  }

  private <T> void counter(
      String name, String what, T source, ToDoubleFunction<T> value, String... tags) {
    FunctionCounter.builder(name, source, value).description(what).tags(tags).register(registry);
  }

  private void decisions(String rule, String outcome, LongAdder count) {
    counter(
        DECISIONS, "What rules decided", count, LongAdder::sum, "rule", rule, "outcome", outcome);
  }

  /**
   * Makes counters for the rules that hold from now on, and forgets those of rules that are gone.
   */
  synchronized void rules(RuleSet rules) {
    Map<String, Counts> counts = new HashMap<>();
    for (Rule rule : rules.rules()) {
      Counts known = byRule.get(rule.id());
      counts.put(rule.id(), known == null ? shown(rule.id()) : known);
    }
    Map<String, LongAdder> tokens = new HashMap<>();
    for (Bypass bypass : rules.bypasses()) {
      LongAdder known = byToken.get(bypass.id());
      tokens.put(bypass.id(), known == null ? shownToken(bypass.id()) : known);
    }
    byRule.keySet().stream().filter(id -> !counts.containsKey(id)).forEach(this::forget);
    byToken.keySet().stream().filter(id -> !tokens.containsKey(id)).forEach(this::forgetToken);
    byRule = counts;
    byToken = tokens;
    rulesVersion.increment();
  }

  private Counts shown(String rule) {
    Counts counts = Counts.zero();
    decisions(rule, "allowed", counts.allowed());
    decisions(rule, "denied", counts.denied());
    decisions(rule, "shadow_denied", counts.shadowDenied());
    return counts;
  }

  private LongAdder shownToken(String token) {
    LongAdder uses = new LongAdder();
    decisions(token, "bypassed", uses);
    counter("weir.bypass", "Uses of bypass tokens", uses, LongAdder::sum, "token", token);
    return uses;
  }

  private void forget(String rule) {
    for (String outcome : List.of("allowed", "denied", "shadow_denied")) {
      remove(DECISIONS, "rule", rule, "outcome", outcome);
    }
  }

  private void forgetToken(String token) {
    remove(DECISIONS, "rule", token, "outcome", "bypassed");
    remove("weir.bypass", "token", token);
  }

  private void remove(String name, String... tags) {
    Meter meter = registry.find(name).tags(tags).functionCounter();
    if (meter != null) {
      registry.remove(meter);
    }
  }

  @Override
  public void decided(Call call, Decision decision) {
    List<Standing> standings = decision.standings();
    if (standings.isEmpty()) {
      outright(decision);
      return;
    }
    for (int i = 0; i < standings.size(); ) {
      Standing first = standings.get(i);
      boolean admits = true;
      // The limits of one rule stand together.
      for (; i < standings.size() && standings.get(i).rule().equals(first.rule()); i++) {
        admits &= standings.get(i).allowed();
      }
      count(first, admits, decision.allowed());
    }
  }

  private void count(Standing standing, boolean admits, boolean passes) {
    Counts counts = byRule.get(standing.rule());
    if (counts == null) {
      return; // a rule that was removed a moment ago counts no more
    }
    if (admits) {
      if (passes) {
        counts.allowed.increment();
      }
    } else if (standing.mode() == Mode.ENFORCE) {
      counts.denied.increment();
    } else {
      counts.shadowDenied.increment();
    }
  }

  private void outright(Decision decision) {
    String id = decision.rule().orElse("");
    if (decision.reason() == Reason.BYPASSED) {
      LongAdder uses = byToken.get(id);
      if (uses != null) {
        uses.increment();
      }
    } else if (id.isEmpty()) {
      noRule.allowed.increment();
    } else if (byRule.containsKey(id)) {
      byRule.get(id).denied.increment();
    }
  }

  /** Everything, in the text format of Prometheus. */
  String scrape() {
    return registry.scrape();
  }
}
