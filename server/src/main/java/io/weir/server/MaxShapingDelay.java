package io.weir.server;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import java.time.Duration;
import java.util.List;

/** The longest delay that the rules can impose on a request. */
final class MaxShapingDelay {
  /** Upper bound: no client keeps a connection open for longer. */
  private static final Duration MAX = Duration.ofDays(1);

  private MaxShapingDelay() {}

  /** The longest delay of any rule or plan, at most one day. */
  static Duration longest(RuleSet rules) {
    Duration longest = Duration.ZERO;
    for (Rule rule : rules.rules()) {
      if (rule.limits() instanceof RuleLimits.Listed listed) {
        longest = longest(listed.limits(), longest);
      }
    }
    for (TenantPlan plan : rules.tenants().values()) {
      longest = longest(plan.limits(), longest);
    }
    return longest.compareTo(MAX) < 0 ? longest : MAX;
  }

  private static Duration longest(List<Limit> limits, Duration other) {
    Duration longest = other;
    for (Limit limit : limits) {
      if (limit instanceof LeakyBucket bucket
          && bucket.rate() > 0
          && bucket.window().compareTo(longest) > 0) {
        longest = bucket.window();
      }
    }
    return longest;
  }
}
