package io.weir.rule;

import io.weir.Limit;
import java.util.List;

/**
 * The plan of a tenant: the name of its tier, and its limits with overrides applied.
 *
 * @param limits each named {@code rate}, {@code quota} or {@code concurrency}
 */
public record TenantPlan(String tier, List<Limit> limits) {
  public TenantPlan {
    limits = List.copyOf(limits);
  }
}
