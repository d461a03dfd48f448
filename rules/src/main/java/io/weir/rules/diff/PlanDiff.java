package io.weir.rules.diff;

import io.weir.Limit;
import io.weir.rule.TenantPlan;
import io.weir.rules.diff.RuleChange.Kind;
import io.weir.rules.text.Messages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Describes the changes for tenants. When a tier changes, all its tenants change alike and are
 * reported together.
 */
final class PlanDiff {
  private static final int MAX_NAMED = 3;

  private PlanDiff() {}

  static List<RuleChange> between(Map<String, TenantPlan> before, Map<String, TenantPlan> after) {
    Map<String, List<String>> alike = new LinkedHashMap<>();
    List<RuleChange> changes = new ArrayList<>();
    after.forEach(
        (tenant, plan) -> {
          TenantPlan was = before.get(tenant);
          if (was == null) {
            String text = "tier " + plan.tier() + " (" + RuleFormatter.of(plan) + ")";
            changes.add(new RuleChange(Kind.ADDED, "tenant " + tenant, text));
          } else if (!was.equals(plan)) {
            alike.computeIfAbsent(compare(was, plan), text -> new ArrayList<>()).add(tenant);
          }
        });
    alike.forEach(
        (text, tenants) -> changes.add(new RuleChange(Kind.CHANGED, subject(tenants), text)));
    before.keySet().stream()
        .filter(tenant -> !after.containsKey(tenant))
        .forEach(tenant -> changes.add(new RuleChange(Kind.REMOVED, "tenant " + tenant, "")));
    return changes;
  }

  private static String subject(List<String> tenants) {
    if (tenants.size() == 1) {
      return "tenant " + tenants.get(0);
    }
    if (tenants.size() <= MAX_NAMED) {
      return "tenants " + Messages.list(tenants);
    }
    List<String> named = tenants.subList(0, MAX_NAMED - 1);
    return "tenants "
        + String.join(", ", named)
        + " and "
        + (tenants.size() - named.size())
        + " more";
  }

  private static String compare(TenantPlan was, TenantPlan is) {
    List<String> parts = new ArrayList<>();
    if (!was.tier().equals(is.tier())) {
      parts.add("tier " + was.tier() + " → " + is.tier());
    }
    Map<String, Limit> old = byName(was);
    Map<String, Limit> now = byName(is);
    TreeSet<String> names = new TreeSet<>(old.keySet());
    names.addAll(now.keySet());
    for (String name : names.descendingSet()) {
      Limit before = old.get(name);
      Limit after = now.get(name);
      if (before == null && after != null) {
        parts.add(name + " unlimited → " + bare(after) + " (lowered)");
      } else if (before != null && after == null) {
        parts.add(name + " " + bare(before) + " → unlimited (raised)");
      } else if (before != null && after != null && !before.equals(after)) {
        parts.add(
            name + " " + bare(before) + " → " + bare(after) + RuleDiff.direction(before, after));
      }
    }
    return String.join(", ", parts);
  }

  private static Map<String, Limit> byName(TenantPlan plan) {
    Map<String, Limit> limits = new LinkedHashMap<>();
    plan.limits().forEach(limit -> limits.put(limit.name(), limit));
    return limits;
  }

  /** A limit without its name, and without the algorithm if the name is the algorithm. */
  private static String bare(Limit limit) {
    String spec = limit.named("").toString();
    return spec.startsWith(limit.name() + " ") ? spec.substring(limit.name().length() + 1) : spec;
  }
}
