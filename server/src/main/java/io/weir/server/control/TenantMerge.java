package io.weir.server.control;

import io.weir.control.store.Tenant;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.rules.read.TierTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds the tenants of the database to the rules of a document.
 *
 * @param rules the rules with all plans
 * @param plans the plans of the tenants of the database
 * @param rejected rows that could not be applied, each with its reason
 * @param inBoth how many tenants the document names too; the database wins
 */
record TenantMerge(
    RuleSet rules, Map<String, TenantPlan> plans, List<String> rejected, int inBoth) {

  /**
   * Merges.
   *
   * @param last the plans of the merge before: a row whose tier is gone keeps its plan
   */
  static TenantMerge of(
      RuleText document, Collection<Tenant> tenants, Map<String, TenantPlan> last) {
    Map<String, TenantPlan> plans = new HashMap<>(tenants.size() * 2);
    List<String> rejected = new ArrayList<>();
    Map<String, TenantPlan> ofTier = new HashMap<>();
    int inBoth = 0;
    for (Tenant tenant : tenants) {
      inBoth += document.rules().tenants().containsKey(tenant.id()) ? 1 : 0;
      try {
        plans.put(tenant.id(), plan(document.tiers(), tenant, ofTier));
      } catch (IllegalArgumentException e) {
        TenantPlan kept = last.get(tenant.id());
        if (kept != null) {
          plans.put(tenant.id(), kept);
        }
        rejected.add(
            "tenant "
                + tenant.id()
                + ": "
                + e.getMessage()
                + (kept == null ? "; it has the plan of \"*\"" : "; it keeps its last plan"));
      }
    }
    return new TenantMerge(rules(document.rules(), plans, rejected), plans, rejected, inBoth);
  }

  private static TenantPlan plan(TierTable tiers, Tenant tenant, Map<String, TenantPlan> ofTier) {
    if (!tenant.numbers().isEmpty()) {
      return tiers.plan(tenant.tier(), tenant.numbers());
    }
    return ofTier.computeIfAbsent(tenant.tier(), tier -> tiers.plan(tier, Map.of()));
  }

  /** The rules with all plans; those that a rule cannot split into its shards are rejected. */
  private static RuleSet rules(
      RuleSet document, Map<String, TenantPlan> plans, List<String> rejected) {
    if (plans.isEmpty()) {
      return document;
    }
    try {
      return document.withTenants(plans);
    } catch (IllegalArgumentException oneIsWrong) {
      plans
          .entrySet()
          .removeIf(
              entry -> {
                try {
                  document.withTenants(Map.of(entry.getKey(), entry.getValue()));
                  return false;
                } catch (IllegalArgumentException e) {
                  rejected.add("tenant " + entry.getKey() + ": " + e.getMessage());
                  return true;
                }
              });
      return document.withTenants(plans);
    }
  }
}
