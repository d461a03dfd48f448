package io.weir.rules.read;

import io.weir.Mode;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleOptions;
import io.weir.rule.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Warns about rules that are valid but do not do what they seem to: they can never match, are never
 * evaluated, or never decide. Each check warns only when it is certain.
 */
final class RuleWarnings {
  /** Cap on compared pairs, reached at about 2,000 rules, so that loading does not take minutes. */
  private static final int MAX_PAIRS = 2_000_000;

  private final List<RuleDraft> rules;
  private int pairs;

  private RuleWarnings(List<RuleDraft> rules) {
    this.rules = rules;
  }

  /** Warns about rules, all of which were read without errors. */
  static void warn(List<RuleDraft> rules) {
    RuleWarnings warnings = new RuleWarnings(rules);
    Set<String> replaced = new HashSet<>();
    rules.forEach(draft -> replaced.addAll(rule(draft).replaces()));
    for (RuleDraft draft : rules) {
      if (rule(draft).mode() == Mode.OFF) {
        draft
            .location()
            .warning(draft.fields().line("mode"), "mode is off, so the rule does nothing");
        continue;
      }
      AttributeWarnings.warn(draft);
      if (!warnings.neverApplies(draft)) {
        keyWithoutTenant(draft);
        nothingToReplace(draft);
        shardsInOneProcess(draft);
        penaltyOfAll(draft);
        warnings.alwaysReplaced(draft, replaced);
        warnings.shadowed(draft, replaced);
      }
    }
  }

  private static Rule rule(RuleDraft draft) {
    return draft.rule().orElseThrow();
  }

  private boolean neverApplies(RuleDraft draft) {
    List<String> reasons = new ArrayList<>();
    Rule rule = rule(draft);
    Match match = rule.match();
    boolean headOnly = headCountsAsGet(draft);
    if (rule.except().filter(except -> MatchSubsumption.covers(except, match)).isPresent()) {
      reasons.add("except leaves out everything that it matches");
      draft.location().warning(draft.fields().line("except"), never(reasons));
    }
    for (String name : new TreeSet<>(match.absent())) {
      if (match.attributes().containsKey(name)) {
        reasons.add(name + " must have a value and be absent");
        draft.location().warning(draft.fields().line("match"), never(reasons));
      } else if (rule.key().contains(name) && rule.onMissing() == OnMissing.SKIP) {
        reasons.add(name + " must be absent, is part of the key, and on_missing is skip");
        draft.location().warning(draft.fields().line("on_missing"), never(reasons));
      }
    }
    return headOnly || !reasons.isEmpty();
  }

  private static String never(List<String> reasons) {
    return "can never apply: " + reasons.get(reasons.size() - 1);
  }

  /** Warns about HEAD, and returns whether it is the only method. */
  private static boolean headCountsAsGet(RuleDraft draft) {
    Set<String> methods = rule(draft).match().methods();
    if (!methods.contains("HEAD")) {
      return false;
    }
    boolean only = methods.size() == 1;
    draft
        .location()
        .warning(
            draft.fields().line("match"),
            only
                ? "can never apply: HEAD counts as GET; write GET"
                : "HEAD counts as GET, so naming it changes nothing");
    return only;
  }

  private static void keyWithoutTenant(RuleDraft draft) {
    if (draft.isOfTier() && !rule(draft).key().contains("tenant")) {
      draft
          .location()
          .warning(
              draft.fields().line("key"),
              "the tier holds for each key, not for each tenant, as key does not name tenant");
    }
  }

  private static void nothingToReplace(RuleDraft draft) {
    if (rule(draft).limits() instanceof RuleLimits.Unlimited && rule(draft).replaces().isEmpty()) {
      draft
          .location()
          .warning(
              draft.fields().line("limit"),
              "is unlimited and replaces nothing, so it changes nothing");
    }
  }

  private static void shardsInOneProcess(RuleDraft draft) {
    if (rule(draft).shards() > 1 && rule(draft).scope() == Scope.INSTANCE) {
      draft
          .location()
          .warning(
              draft.fields().line("shards"),
              "shards spread a key over a store, and scope: instance uses none");
    }
  }

  private static void penaltyOfAll(RuleDraft draft) {
    if (rule(draft).options().penalty().isPresent() && rule(draft).key().isEmpty()) {
      draft
          .location()
          .warning(
              draft.fields().line("penalty"),
              "tightens the limit of all callers, as they share one key");
    }
  }

  private void alwaysReplaced(RuleDraft draft, Set<String> replaced) {
    if (!replaced.contains(draft.id())) {
      return;
    }
    for (RuleDraft other : rules) {
      if (!other.id().equals(draft.id())
          && pairs++ < MAX_PAIRS
          && rule(other).mode() != Mode.OFF
          && rule(other).options().expires().isEmpty()
          && rule(other).replaces().contains(draft.id())
          && MatchSubsumption.covers(rule(other), rule(draft))) {
        draft
            .location()
            .warning(
                draft.fields().line("id"),
                "is never evaluated: rule "
                    + other.id()
                    + " replaces it and matches whatever it matches");
        return;
      }
    }
  }

  private void shadowed(RuleDraft draft, Set<String> replaced) {
    for (RuleDraft earlier : rules) {
      if (earlier.id().equals(draft.id()) || pairs++ >= MAX_PAIRS) {
        return;
      }
      if (!replaced.contains(earlier.id()) && shadows(rule(earlier), rule(draft))) {
        draft
            .location()
            .warning(
                draft.fields().line("id"),
                "is shadowed by rule "
                    + earlier.id()
                    + ", which matches whatever it matches, with the same key and a limit as tight");
        return;
      }
    }
  }

  /** Whether the earlier rule refuses every call that the later one would refuse. */
  private static boolean shadows(Rule earlier, Rule later) {
    return isEnforced(earlier)
        && isEnforced(later)
        && later.replaces().isEmpty()
        && !hasOptions(earlier)
        && !hasOptions(later)
        && earlier.key().equals(later.key())
        && earlier.cost().equals(later.cost())
        && earlier.scope() == later.scope()
        && earlier.schedule().equals(later.schedule())
        && earlier.onFail() == later.onFail()
        && earlier.localFactor().equals(later.localFactor())
        && earlier.onMissing() == later.onMissing()
        && earlier.accuracy().equals(later.accuracy())
        && earlier.shards() == later.shards()
        && earlier.countDenied() == later.countDenied()
        && LimitComparison.isAtLeastAsStrict(earlier.limits(), later.limits())
        && MatchSubsumption.covers(earlier, later);
  }

  /** Whether the rule has options by which it differs from one with the same limit. */
  private static boolean hasOptions(Rule rule) {
    return !rule.options().equals(RuleOptions.DEFAULT);
  }

  private static boolean isEnforced(Rule rule) {
    return rule.mode() == Mode.ENFORCE && rule.percent() == 100;
  }
}
