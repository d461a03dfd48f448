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

/**
 * A rule set made ready for calls: from a call to the draws it makes, without looking at rules for
 * other paths.
 */
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

  /** Whether {@link #plan} needs to know the time of day. */
  public boolean needsWallClock() {
    return anySchedule;
  }

  /** Whether some pools are split, so that draws are to be made from shards of them. */
  public boolean hasShards() {
    return anyShards;
  }

  /** Whether some costs are told by calls, which may tell nonsense. */
  public boolean hasCostsOfCalls() {
    return anyCostOfCalls;
  }

  /**
   * What a call draws.
   *
   * @param draws in document order
   * @param deniedBy the rule that refuses the call for lacking a part of its key, if any
   */
  public record DrawPlan(List<Draw> draws, @Nullable String deniedBy) {
    /** The same with other draws; itself where they are the same. */
    public DrawPlan with(List<Draw> others) {
      return others == draws ? this : new DrawPlan(others, deniedBy);
    }

    /**
     * The same for so many calls to come: without what only the end of a call gives back, and
     * settled at what was counted for each, as nobody will say more of them than their number.
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
   * Works out what a call draws.
   *
   * @throws IllegalArgumentException if the call has an attribute that should be a number and is
   *     not
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

  /** How many rules are looked at to decide a call. */
  int candidates(Call call) {
    return byPath.select(call).examined();
  }

  private MatchedRules select(Call call) {
    MatchedRules selection = byPath.select(call);
    return anyReplaces && selection.size() > 1 ? selection.withoutReplaced(call) : selection;
  }

  /** The pool by which an earlier draw goes on now; empty if its rule or limit is gone. */
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
