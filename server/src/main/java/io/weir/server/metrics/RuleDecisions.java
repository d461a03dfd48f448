package io.weir.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.metrics.DecisionCounts.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions per rule, and chooses the rules with series of their own.
 *
 * <p>Thousands of rules would make a scrape of megabytes. So the first {@link #MAX_SHOWN} rules of
 * the document have series of their own, and all others share those of {@link #OTHER}. A rule keeps
 * its series as long as it exists; a free place goes to the next rule. No counter decreases by
 * that: decisions counted under {@code _other} remain there, and the rule's own series start at 0.
 *
 * <p>The admin API has the counts of every rule.
 */
public final class RuleDecisions {
  /** Maximum number of rules with series of their own. */
  static final int MAX_SHOWN = 1000;

  /** The label value of all further rules; a rule with this id is one of them. */
  public static final String OTHER = "_other";

  private final Metrics metrics;
  private final PerRuleMeters shown;
  private final Map<Outcome, LongAccumulator> shownOfOthers = new EnumMap<>(Outcome.class);
  private volatile Map<String, DecisionCounts> byRule = Map.of();
  private volatile FoldedRules others = new FoldedRules(Map.of(), Map.of());
  private Set<String> own = Set.of();
  private boolean showsOthers;

  /**
   * The rules without series of their own.
   *
   * @param before decisions counted here for rules that are gone or have their own series now
   */
  private record FoldedRules(Map<Outcome, Long> before, Map<String, DecisionCounts> now) {
    long sum(Outcome outcome) {
      return before.getOrDefault(outcome, 0L)
          + now.values().stream().mapToLong(counts -> counts.sum(outcome)).sum();
    }

    /** Replaces the rules; earlier decisions remain counted. */
    FoldedRules next(Map<String, DecisionCounts> next) {
      Map<Outcome, Long> past = new EnumMap<>(Outcome.class);
      for (Outcome outcome : Outcome.values()) {
        long left =
            now.entrySet().stream()
                .filter(rule -> !next.containsKey(rule.getKey()))
                .mapToLong(rule -> rule.getValue().sum(outcome))
                .sum();
        past.put(outcome, before.getOrDefault(outcome, 0L) + left);
      }
      return new FoldedRules(past, next);
    }
  }

  RuleDecisions(Metrics metrics) {
    this.metrics = metrics;
    this.shown = metrics.metersByRule();
    for (Outcome outcome : Outcome.values()) {
      shownOfOthers.put(outcome, new LongAccumulator(Math::max, 0));
    }
  }

  /** The counts of a rule; null if it does not exist. */
  @Nullable DecisionCounts of(String rule) {
    return byRule.get(rule);
  }

  /** The rules that have series of their own. */
  synchronized Set<String> own() {
    return own;
  }

  /** The number of rules without series of their own. */
  int folded() {
    return others.now().size();
  }

  /** Creates counters for new rules, and removes those of rules that are gone. */
  synchronized void rules(RuleSet rules) {
    Map<String, DecisionCounts> counts = new HashMap<>();
    for (Rule rule : rules.rules()) {
      DecisionCounts known = byRule.get(rule.id());
      counts.put(rule.id(), known == null ? DecisionCounts.zero() : known);
    }
    own = chosen(rules);
    Map<String, DecisionCounts> folded = new HashMap<>(counts);
    folded.keySet().removeAll(own);
    shown.rules(own, id -> show(id, counts.get(id)));
    others = others.next(Collections.unmodifiableMap(folded));
    byRule = counts;
    if (!folded.isEmpty() && !showsOthers) {
      showsOthers = true;
      for (Outcome outcome : Outcome.values()) {
        metrics.decisions(OTHER, outcome.label(), this, all -> all.ofOthers(outcome));
      }
    }
  }

  private Set<String> chosen(RuleSet rules) {
    Set<String> chosen = new LinkedHashSet<>();
    List<String> waiting = new ArrayList<>();
    Set<String> before = new HashSet<>(own);
    for (Rule rule : rules.rules()) {
      if (before.contains(rule.id())) {
        chosen.add(rule.id());
      } else if (!rule.id().equals(OTHER)) {
        waiting.add(rule.id());
      }
    }
    for (int i = 0; i < waiting.size() && chosen.size() < MAX_SHOWN; i++) {
      chosen.add(waiting.get(i));
    }
    return Collections.unmodifiableSet(chosen);
  }

  /** Registers series that start at 0, even if the rule was counted under {@code _other} before. */
  private List<Meter> show(String rule, DecisionCounts counts) {
    List<Meter> meters = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      long begin = counts.sum(outcome);
      meters.add(
          metrics.decisions(
              rule, outcome.label(), counts, decided -> decided.sum(outcome) - begin));
    }
    return meters;
  }

  /** Never decreases, even if a decision is counted while its rule gets series of its own. */
  private double ofOthers(Outcome outcome) {
    LongAccumulator most = shownOfOthers.get(outcome);
    most.accumulate(others.sum(outcome));
    return most.get();
  }
}
