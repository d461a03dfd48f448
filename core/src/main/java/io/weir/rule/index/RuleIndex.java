package io.weir.rule.index;

import io.weir.Call;
import io.weir.Explanation.RuleCheck;
import io.weir.Key;
import io.weir.LimitKind;
import io.weir.Mode;
import io.weir.adjust.TrafficControls;
import io.weir.rule.Cost;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.penalty.TightenedKeys;
import io.weir.store.Draw;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A compiled rule set: finds the draws of a call without examining rules for other paths. */
public final class RuleIndex {
  private final RuleSet rules;
  private final PathIndex byPath = new PathIndex();
  private final List<CompiledRule> compiled = new ArrayList<>();
  private final Map<String, CompiledRule> byId = new HashMap<>();
  private final RuleKeys keys = new RuleKeys(byId);
  private boolean anyReplaces;
  private boolean anySchedule;
  private boolean anyExpires;
  private boolean anyShards;
  private boolean anyCostOfCalls;

  private RuleIndex(RuleSet rules) {
    this.rules = rules;
  }

  /** Compiles a rule set without penalties in force. */
  public static RuleIndex of(RuleSet rules) {
    return of(rules, TightenedKeys.NONE);
  }

  /**
   * Compiles a rule set.
   *
   * @param tightened the keys that get the tighter limits of their rule's penalty
   */
  public static RuleIndex of(RuleSet rules, TightenedKeys tightened) {
    RuleIndex index = new RuleIndex(rules);
    for (Rule rule : rules.rules()) {
      index.add(new CompiledRule(rule, index.compiled.size(), rules.tenants(), tightened));
    }
    index.byPath.seal();
    return index;
  }

  private void add(CompiledRule rule) {
    compiled.add(rule);
    byId.put(rule.rule.id(), rule);
    if (rule.rule.mode() == Mode.OFF) {
      return;
    }
    anyReplaces |= !rule.rule.replaces().isEmpty();
    anySchedule |= rule.pools.scheduled();
    anyExpires |= rule.expires();
    anyShards |= rule.rule.shards() > 1;
    anyCostOfCalls |= rule.rule.cost() instanceof Cost.FromAttribute;
    List<PathPattern> patterns = rule.rule.match().paths();
    if (patterns.isEmpty()) {
      byPath.add(PathPattern.EVERYTHING, new PathMatch(rule, PathPattern.EVERYTHING, 0));
    }
    for (int i = 0; i < patterns.size(); i++) {
      byPath.add(patterns.get(i), new PathMatch(rule, patterns.get(i), i));
    }
  }

  public RuleSet rules() {
    return rules;
  }

  /** Whether {@link #plan} needs the wall clock. */
  public boolean needsWallClock() {
    return anySchedule || anyExpires;
  }

  /** Whether some pools are split into shards. */
  public boolean hasShards() {
    return anyShards;
  }

  /** Whether some costs come from attributes of calls, which may be invalid. */
  public boolean hasCostsOfCalls() {
    return anyCostOfCalls;
  }

  /**
   * The draws of a call.
   *
   * @param draws in document order
   * @param deniedBy the rule that refuses the call because it lacks a part of the key, or because
   *     its key is blocked; or null
   * @param blockedMicros how long the key is still blocked; {@link #NOT_BLOCKED} if it is not
   */
  public record DrawPlan(List<Draw> draws, @Nullable String deniedBy, long blockedMicros) {
    public static final long NOT_BLOCKED = -1;

    public DrawPlan(List<Draw> draws, @Nullable String deniedBy) {
      this(draws, deniedBy, NOT_BLOCKED);
    }

    /** This plan with other draws; itself if they are the same. */
    public DrawPlan with(List<Draw> others) {
      return others == draws ? this : new DrawPlan(others, deniedBy, blockedMicros);
    }

    /**
     * This plan for a number of future calls. It has no permits, as only the end of a call releases
     * them. It is settled by the number of calls made, each at its share of the amount, as no true
     * cost will be known.
     */
    public DrawPlan inAdvance(long calls) {
      return with(
          draws.stream()
              .filter(draw -> !isPermit(draw))
              .map(draw -> draw.withUnit(draw.amount() / Math.max(1, calls)))
              .toList());
    }

    private static boolean isPermit(Draw draw) {
      return draw.pool().meter().limit().kind() == LimitKind.CONCURRENCY;
    }
  }

  /**
   * Plans the draws of a call.
   *
   * @throws IllegalArgumentException if an attribute that a rule takes as cost is not a whole
   *     number
   */
  public DrawPlan plan(Call call, long wallMicros, Draw.Intent intent) {
    MatchedRules matched = select(call, wallMicros);
    List<Draw> draws = matched.size() == 1 ? List.of() : new ArrayList<>(matched.size());
    for (int i = 0; i < matched.size(); i++) {
      PathMatch match = matched.get(i);
      if (match.rule().deniesForMissing(call, match.route())) {
        return new DrawPlan(List.of(), match.rule().rule.id());
      }
      if (!match.rule().skipsForMissing(call, match.route())) {
        List<Draw> ofRule = match.rule().draws(call, match.route(), wallMicros, intent);
        if (matched.size() == 1) {
          draws = ofRule;
        } else {
          for (int j = 0; j < ofRule.size(); j++) {
            draws.add(ofRule.get(j));
          }
        }
      }
    }
    return new DrawPlan(draws, null);
  }

  /**
   * Plans the draws of a call under controls.
   *
   * @throws IllegalArgumentException as {@link #plan(Call, long, Draw.Intent)}
   */
  public DrawPlan plan(Call call, Draw.Intent intent, TrafficControls controls, TimeSource time) {
    MatchedRules matched = select(call, anyExpires ? time.wallMicros() : 0);
    return new ControlledPlanner(controls, time, call, intent, anySchedule).plan(matched);
  }

  /** How many rules are examined to decide a call. */
  int candidates(Call call) {
    return byPath.select(call).examined();
  }

  private MatchedRules select(Call call, long wallMicros) {
    MatchedRules matched = byPath.select(call);
    if (anyExpires) {
      matched = matched.withoutExpired(wallMicros);
    }
    return anyReplaces && matched.size() > 1 ? matched.withoutReplaced(call) : matched;
  }

  /** The pools of keys without a call. */
  public RuleKeys keys() {
    return keys;
  }

  /** For every rule, whether it applies to a call and why. */
  public List<RuleCheck> explain(Call call) {
    return explain(call, TrafficControls.NONE, 0);
  }

  /** The same, with the controls in force for the key of each rule. */
  public List<RuleCheck> explain(Call call, TrafficControls controls, long wallMicros) {
    MatchedRules matched = select(call, wallMicros);
    List<RuleCheck> notes = new ArrayList<>();
    for (CompiledRule rule : compiled) {
      notes.add(
          rule.hasExpired(wallMicros) && rule.rule.mode() != Mode.OFF
              ? new RuleCheck(rule.rule.id(), false, OptionNotes.expired(rule.rule), "")
              : explain(rule, call, matched, controls, wallMicros));
    }
    return notes;
  }

  private static RuleCheck explain(
      CompiledRule rule,
      Call call,
      MatchedRules matched,
      TrafficControls controls,
      long wallMicros) {
    String id = rule.rule.id();
    for (int i = 0; i < matched.size(); i++) {
      PathMatch match = matched.get(i);
      if (match.rule() != rule) {
        continue;
      }
      if (rule.skipsForMissing(call, match.route())) {
        String missing = "lacks a part of its key " + rule.rule.key() + ", on_missing ";
        return new RuleCheck(
            id,
            false,
            missing + rule.rule.onMissing().name().toLowerCase(java.util.Locale.ROOT),
            "");
      }
      String why =
          rule.rule.limits() instanceof RuleLimits.Unlimited ? "matches, unlimited" : "matches";
      Key key = rule.keyOf(call, match.route());
      String notes =
          rule.missingNote(call, match.route())
              + OptionNotes.of(rule.rule, rule.tightenedMicros(key))
              + controls.describe(id, key, call.attribute("tenant"), wallMicros);
      return new RuleCheck(id, true, why + " " + match.route() + notes, key.toString());
    }
    String whyNot = rule.whyNot(call);
    return new RuleCheck(id, false, whyNot == null ? "replaced by another rule" : whyNot, "");
  }
}
