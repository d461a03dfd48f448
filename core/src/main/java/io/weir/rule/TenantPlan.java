package io.weir.rule;

import io.weir.Limit;
import java.util.List;

/**
 * What a tenant has bought: a tier by name, and the limits that hold for the tenant, overrides
 * applied.
 *
 * @param limits each named {@code rate}, {@code quota} or {@code concurrency}
 */
public record TenantPlan(String tier, List<Limit> limits) {
  public TenantPlan {
    limits = List.copyOf(limits);
  }
}
