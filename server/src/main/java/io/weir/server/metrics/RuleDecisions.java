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
 * What rules decided, by rule, and which of them have series of their own.
 *
 * <p>Thousands of rules would make a scrape of megabytes. So the first {@link #MOST_SHOWN} rules of
 * the document have series of their own, and all others share those of {@link #OTHER}. A rule that
 * has its own keeps them for as long as it is there; a place that becomes free goes to the next
 * rule. No counter goes down by that: what a rule was counted for under {@code _other} stays
 * counted there, and its own series begin at 0.
 *
 * <p>Every rule is still counted by itself, for the admin API.
 */
public final class RuleDecisions {
  /** How many rules have series of their own. */
  static final int MOST_SHOWN = 1000;

  /** The label under which all further rules are shown; a rule of this name is one of them. */
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
   * @param before what was counted here for rules that are gone, or have their own series now
   */
  private record FoldedRules(Map<Outcome, Long> before, Map<String, DecisionCounts> now) {
    long sum(Outcome outcome) {
      return before.getOrDefault(outcome, 0L)
          + now.values().stream().mapToLong(counts -> counts.sum(outcome)).sum();
    }

    /** The same for other rules; what was counted stays. */
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

  /** The counts of a rule; null for one that is not there. */
  @Nullable DecisionCounts of(String rule) {
    return byRule.get(rule);
  }

  /** The rules that have series of their own. */
  synchronized Set<String> own() {
    return own;
  }

  /** How many rules have none. */
  int folded() {
    return others.now().size();
  }

  /** Counts for these rules from now on, and forgets those that are gone. */
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
    for (int i = 0; i < waiting.size() && chosen.size() < MOST_SHOWN; i++) {
      chosen.add(waiting.get(i));
    }
    return Collections.unmodifiableSet(chosen);
  }

  /** Begins at 0 also for a rule that was counted with the others until now. */
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

  /** Never less than before, also if a rule is counted for the last time while it moves. */
  private double ofOthers(Outcome outcome) {
    LongAccumulator most = shownOfOthers.get(outcome);
    most.accumulate(others.sum(outcome));
    return most.get();
  }
}
