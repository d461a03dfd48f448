package io.weir.control.whatif;

import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.rule.TenantPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Says what the numbers of a replay do not cover, for rules that differ. */
final class ReplayNotes {
  private static final Set<String> CALLER_PARTS = Set.of("user", "api_key", "tenant", "ip");
  private static final int MAX_RULES = 20;

  private final RuleSet before;
  private final RuleSet after;
  private final Recording recording;
  private long undecided;

  ReplayNotes(RuleSet before, RuleSet after, Recording recording) {
    this.before = before;
    this.after = after;
    this.recording = recording;
  }

  /** A call could not be decided, as an attribute that a rule takes as cost is no number. */
  void onUndecided() {
    undecided++;
  }

  List<String> list(
      WhatIf.Basis basis, Set<String> unreadableCosts, boolean keysLeftOut, int largestGroup) {
    List<String> notes = new ArrayList<>();
    List<Rule> changed = changedRules();
    changed.stream().limit(MAX_RULES).forEach(rule -> add(rule, basis, notes));
    for (String attribute : unreadableCosts) {
      notes.add(
          "attribute " + attribute + " was not recorded as a number: its default cost counts");
    }
    if (undecided > 0) {
      notes.add(undecided + " calls could not be decided");
    }
    if (recording.skipped() > 0) {
      notes.add(recording.skipped() + " calls had too many parts to be recorded");
    }
    if (keysLeftOut) {
      notes.add("too many keys: some calls count in the total only");
    }
    if (!basis.complete()) {
      notes.add("the time limit ended the replay early");
    }
    if (changed.size() > MAX_RULES || largestGroup > WhatIf.MAX_GROUPS) {
      notes.add("some rules, routes or notes are left out");
    }
    return List.copyOf(notes);
  }

  private List<Rule> changedRules() {
    boolean plans = !before.tenants().equals(after.tenants());
    return after.rules().stream()
        .filter(
            rule ->
                !before.rule(rule.id()).equals(Optional.of(rule))
                    || (plans && rule.limits() instanceof RuleLimits.OfTier))
        .toList();
  }

  private void add(Rule rule, WhatIf.Basis basis, List<String> notes) {
    String name = "rule " + rule.id() + ": ";
    Duration longest =
        limitsOf(rule).map(Limit::window).max(Duration::compareTo).orElse(Duration.ZERO);
    if (longest.compareTo(basis.span()) > 0) {
      notes.add(name + "its period is longer than the recording, whose start counts as unused");
    }
    if (limitsOf(rule).anyMatch(limit -> limit.kind() == LimitKind.CONCURRENCY)) {
      notes.add(name + "concurrency is not replayed, as the end of calls is not recorded");
    }
    if (basis.share() < 1 && rule.key().stream().noneMatch(CALLER_PARTS::contains)) {
      notes.add(name + "callers share its keys, and the recording holds only some callers");
    }
    if (rule.scope() == Scope.INSTANCE && basis.instances() > 1) {
      notes.add(name + "counts per instance, but was replayed as if on one");
    }
  }

  private Stream<Limit> limitsOf(Rule rule) {
    if (rule.limits() instanceof RuleLimits.Listed listed) {
      return listed.limits().stream();
    }
    return rule.limits() instanceof RuleLimits.OfTier
        ? after.tenants().values().stream().map(TenantPlan::limits).flatMap(List::stream)
        : Stream.empty();
  }
}
