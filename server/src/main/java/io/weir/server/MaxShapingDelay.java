package io.weir.server;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import java.time.Duration;
import java.util.List;

/** How long the rules may have a request wait. */
final class MaxShapingDelay {
  /** Nobody keeps a connection for longer. */
  private static final Duration MOST = Duration.ofDays(1);

  private MaxShapingDelay() {}

  /** The longest that any rule or plan may hold a request back, up to a day. */
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
    return longest.compareTo(MOST) < 0 ? longest : MOST;
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
