package io.weir.rules.diff;

import io.weir.Limit;
import io.weir.rule.Bypass;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rules.diff.RuleChange.Kind;
import io.weir.rules.read.LimitComparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Describes the changes from one rule set to another. */
public final class RuleDiff {
  private final List<RuleChange> changes = new ArrayList<>();

  private RuleDiff() {}

  /** All differences: rules in the order of the new set, then tenants, then bypass tokens. */
  public static List<RuleChange> between(RuleSet before, RuleSet after) {
    RuleDiff diff = new RuleDiff();
    diff.rules(before, after);
    diff.changes.addAll(PlanDiff.between(before.tenants(), after.tenants()));
    diff.bypasses(before, after);
    return List.copyOf(diff.changes);
  }

  private void rules(RuleSet before, RuleSet after) {
    Map<String, Rule> old = new LinkedHashMap<>();
    before.rules().forEach(rule -> old.put(rule.id(), rule));
    Map<String, String> moved =
        OrderDiff.moved(
            before.rules().stream().map(Rule::id).toList(),
            after.rules().stream().map(Rule::id).toList());
    for (Rule rule : after.rules()) {
      String subject = "rule " + rule.id();
      Rule was = old.remove(rule.id());
      if (was == null) {
        changes.add(new RuleChange(Kind.ADDED, subject, RuleFormatter.of(rule)));
      } else {
        compare(subject, was, rule);
        String shift = moved.get(rule.id());
        if (shift != null) {
          change(subject, "moved " + shift);
        }
      }
    }
    old.keySet().forEach(id -> changes.add(new RuleChange(Kind.REMOVED, "rule " + id, "")));
  }

  private void compare(String subject, Rule was, Rule is) {
    limits(subject, was.limits(), is.limits());
    field(subject, "match", was, is, rule -> RuleFormatter.of(rule.match()));
    field(subject, "except", was, is, rule -> rule.except().map(RuleFormatter::of).orElse("none"));
    field(subject, "key", was, is, rule -> rule.key().toString(), "counts start fresh");
    field(subject, "cost", was, is, rule -> RuleFormatter.of(rule.cost()));
    field(subject, "scope", was, is, rule -> RuleFormatter.of(rule.scope()));
    field(subject, "replaces", was, is, rule -> rule.replaces().toString());
    field(subject, "schedule", was, is, rule -> RuleFormatter.of(rule.schedule()));
    field(subject, "mode", was, is, rule -> RuleFormatter.of(rule.mode()));
    field(subject, "percent", was, is, rule -> Integer.toString(rule.percent()));
    field(subject, "on_fail", was, is, rule -> RuleFormatter.of(rule.onFail()));
    field(subject, "local_factor", was, is, rule -> rule.localFactor().toString());
    field(subject, "on_missing", was, is, rule -> RuleFormatter.of(rule.onMissing()));
    field(subject, "accuracy", was, is, rule -> rule.accuracy().toString());
    field(
        subject, "shards", was, is, rule -> Integer.toString(rule.shards()), "counts start fresh");
    field(subject, "count_denied", was, is, rule -> Boolean.toString(rule.countDenied()));
    OptionsDiff.fields()
        .forEach((name, text) -> field(subject, name, was, is, rule -> text.apply(rule.options())));
    field(subject, "description", was, is, rule -> "\"" + rule.description() + "\"");
    field(subject, "owner", was, is, rule -> "\"" + rule.owner() + "\"");
  }

  private void limits(String subject, RuleLimits was, RuleLimits is) {
    if (was instanceof RuleLimits.Listed old
        && is instanceof RuleLimits.Listed now
        && old.limits().size() == now.limits().size()) {
      for (int i = 0; i < old.limits().size(); i++) {
        Limit before = old.limits().get(i);
        Limit after = now.limits().get(i);
        if (!before.equals(after)) {
          change(subject, "limit " + before + " → " + after + direction(before, after));
        }
      }
    } else if (!was.equals(is)) {
      change(subject, "limit " + RuleFormatter.of(was) + " → " + RuleFormatter.of(is));
    }
  }

  /** {@code (raised)}, {@code (lowered)}, or an empty string if the limits cannot be compared. */
  static String direction(Limit before, Limit after) {
    if (before.algorithm() != after.algorithm()) {
      return " (counts start fresh)";
    }
    boolean lower = LimitComparison.isAtLeastAsStrict(after, before);
    boolean higher = LimitComparison.isAtLeastAsStrict(before, after);
    return lower == higher ? "" : higher ? " (raised)" : " (lowered)";
  }

  private void bypasses(RuleSet before, RuleSet after) {
    Map<String, Bypass> old = new LinkedHashMap<>();
    before.bypasses().forEach(bypass -> old.put(bypass.id(), bypass));
    for (Bypass bypass : after.bypasses()) {
      String subject = "bypass " + bypass.id();
      Bypass was = old.remove(bypass.id());
      if (was == null) {
        changes.add(
            new RuleChange(
                Kind.ADDED, subject, "limit " + bypass.limit() + ", expires " + bypass.expires()));
        continue;
      }
      if (!was.tokenSha256().equals(bypass.tokenSha256())) {
        change(subject, "another token");
      }
      if (!was.limit().equals(bypass.limit())) {
        change(
            subject,
            "limit "
                + was.limit()
                + " → "
                + bypass.limit()
                + direction(was.limit(), bypass.limit()));
      }
      field(subject, "expires", was, bypass, b -> b.expires().toString());
    }
    old.keySet().forEach(id -> changes.add(new RuleChange(Kind.REMOVED, "bypass " + id, "")));
  }

  private <T> void field(String subject, String name, T was, T is, Function<T, String> words) {
    field(subject, name, was, is, words, "");
  }

  private <T> void field(
      String subject, String name, T was, T is, Function<T, String> words, String effect) {
    String before = words.apply(was);
    String after = words.apply(is);
    if (!Objects.equals(before, after)) {
      change(
          subject,
          name + " " + before + " → " + after + (effect.isEmpty() ? "" : " (" + effect + ")"));
    }
  }

  private void change(String subject, String text) {
    changes.add(new RuleChange(Kind.CHANGED, subject, text));
  }
}
