package io.weir.rules.read;

import io.weir.base.ReplacesCycle;
import io.weir.rule.RuleSet;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.MapReader.LocatedText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks references of a rule to other rules and to tenants. */
final class CrossRuleCheck {
  private final DeclaredNames declared;
  private final boolean complete;

  /**
   * @param complete whether every file could be read, so that a name not found is really undefined
   */
  CrossRuleCheck(DeclaredNames declared, boolean complete) {
    this.declared = declared;
    this.complete = complete;
  }

  void check(List<RuleDraft> rules) {
    List<String> ids = rules.stream().map(RuleDraft::id).toList();
    Map<String, List<String>> replaces = new HashMap<>();
    for (RuleDraft rule : rules) {
      replaces.put(rule.id(), rule.replaces().stream().map(LocatedText::text).toList());
    }
    ReplacesCycle cycle = new ReplacesCycle(replaces);
    for (RuleDraft rule : rules) {
      replaces(rule, ids);
      cycle(rule, cycle);
      if (complete && rule.isOfTier() && !declared.has("tenant", RuleSet.EVERYONE_ELSE)) {
        rule.location()
            .error(
                rule.fields().line("limit"),
                "limit: tier needs tenants to say what everyone else gets, such as \"*\": free");
      }
    }
  }

  private static void cycle(RuleDraft rule, ReplacesCycle cycle) {
    cycle
        .through(rule.id())
        .ifPresent(
            other ->
                rule.location()
                    .error(
                        rule.fields().line("replaces"),
                        "replaces " + other + ", by which it is replaced: neither would hold"));
  }

  private void replaces(RuleDraft rule, List<String> ids) {
    Set<String> seen = new HashSet<>();
    for (LocatedText other : rule.replaces()) {
      if (other.text().equals(rule.id())) {
        rule.location().error(other.line(), "a rule cannot replace itself");
      } else if (complete && !declared.has("rule", other.text())) {
        String guess =
            rule.location().hasRoomForProblems() ? Messages.didYouMean(other.text(), ids) : "";
        rule.location()
            .error(
                other.line(),
                "replaces " + Messages.quote(other.text()) + ", which is no rule" + guess);
      } else if (!seen.add(other.text())) {
        rule.location().error(other.line(), "replaces names " + other.text() + " twice");
      }
    }
  }
}
