package io.weir.rule.index;

import io.weir.Call;
import io.weir.Explanation.RuleCheck;
import io.weir.LimitKind;
import io.weir.Mode;
import io.weir.rule.Cost;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A compiled rule set: finds the draws of a call without examining rules for other paths. */
public final class RuleIndex {
  private final RuleSet rules;
  private final PathIndex byPath = new PathIndex();
  private final List<CompiledRule> compiled = new ArrayList<>();
  private final Map<String, CompiledRule> byId = new HashMap<>();
  private boolean anyReplaces;
  private boolean anySchedule;
  private boolean anyShards;
  private boolean anyCostOfCalls;

  private RuleIndex(RuleSet rules) {
    this.rules = rules;
  }

  /** Compiles a rule set. */
  public static RuleIndex of(RuleSet rules) {
    RuleIndex index = new RuleIndex(rules);
    for (Rule rule : rules.rules()) {
      index.add(new CompiledRule(rule, index.compiled.size(), rules.tenants()));
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
    return anySchedule;
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
   * @param deniedBy the rule that refuses the call because it lacks a part of the key, or null
   */
  public record DrawPlan(List<Draw> draws, @Nullable String deniedBy) {
    /** This plan with other draws; itself if they are the same. */
    public DrawPlan with(List<Draw> others) {
      return others == draws ? this : new DrawPlan(others, deniedBy);
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
    MatchedRules selection = select(call);
    List<Draw> draws = selection.size() == 1 ? List.of() : new ArrayList<>(selection.size());
    for (int i = 0; i < selection.size(); i++) {
      PathMatch hit = selection.get(i);
      if (hit.rule().deniesForMissing(call, hit.route())) {
        return new DrawPlan(List.of(), hit.rule().rule.id());
      }
      if (!hit.rule().skipsForMissing(call, hit.route())) {
        List<Draw> some = hit.rule().draws(call, hit.route(), wallMicros, intent);
        if (selection.size() == 1) {
          draws = some;
        } else {
          for (int j = 0; j < some.size(); j++) {
            draws.add(some.get(j));
          }
        }
      }
    }
    return new DrawPlan(draws, null);
  }

  /** How many rules are examined to decide a call. */
  int candidates(Call call) {
    return byPath.select(call).examined();
  }

  private MatchedRules select(Call call) {
    MatchedRules selection = byPath.select(call);
    return anyReplaces && selection.size() > 1 ? selection.withoutReplaced(call) : selection;
  }

  /** The current pool of an earlier draw; empty if its rule or limit no longer exists. */
  public Optional<Pool> pool(String rule, String slot, String tenant, long wallMicros) {
    CompiledRule known = byId.get(rule);
    return known == null ? Optional.empty() : known.pools.find(wallMicros, tenant, slot);
  }

  /** For every rule, whether it applies to a call and why. */
  public List<RuleCheck> explain(Call call) {
    MatchedRules selection = select(call);
    List<RuleCheck> notes = new ArrayList<>();
    for (CompiledRule rule : compiled) {
      notes.add(explain(rule, call, selection));
    }
    return notes;
  }

  private static RuleCheck explain(CompiledRule rule, Call call, MatchedRules selection) {
    String id = rule.rule.id();
    for (int i = 0; i < selection.size(); i++) {
      PathMatch hit = selection.get(i);
      if (hit.rule() != rule) {
        continue;
      }
      if (rule.skipsForMissing(call, hit.route())) {
        String missing = "lacks a part of its key " + rule.rule.key() + ", on_missing ";
        return new RuleCheck(
            id,
            false,
            missing + rule.rule.onMissing().name().toLowerCase(java.util.Locale.ROOT),
            "");
      }
      String why =
          rule.rule.limits() instanceof RuleLimits.Unlimited ? "matches, unlimited" : "matches";
      String key = rule.keyOf(call, hit.route()).toString();
      return new RuleCheck(
          id, true, why + " " + hit.route() + rule.missingNote(call, hit.route()), key);
    }
    String whyNot = rule.whyNot(call);
    return new RuleCheck(id, false, whyNot == null ? "replaced by another rule" : whyNot, "");
  }
}
