package io.weir.rule.index;

import io.weir.Limit;
import io.weir.Ratio;
import io.weir.TokenBucket;
import io.weir.adjust.Adjustment;
import io.weir.adjust.OverrideEffect;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The pools of one rule under an adjustment. They have the buckets of the rule's own pools and
 * other numbers, so what a key has taken stays taken. Keys with equal adjustments share them.
 *
 * <p>They are separate pools for leases and cached refusals. When an adjustment begins or ends, a
 * call draws from other pools from that moment on: no lease or refusal under the old numbers is
 * used any more, and an unused lease is given back within 1.5 s.
 *
 * <p>Pools are created once for each plan and schedule, at the latest by the first call.
 */
final class AdjustedPools {
  private static final Pool[] NONE = {};

  private final RulePools base;
  private final Adjustment adjustment;

  /** The adjusted pools by the first of the rule's own that they stand for. */
  private final Map<Pool, Pool[]> made = new ConcurrentHashMap<>();

  AdjustedPools(RulePools base, Adjustment adjustment) {
    this.base = base;
    this.adjustment = adjustment;
  }

  /** The pools in force now. */
  Pool[] at(long wallMicros, String tenant) {
    Pool[] own = base.at(wallMicros, tenant);
    if (own.length == 0 || adjustment.isUnlimited()) {
      return NONE;
    }
    Pool[] known = made.get(own[0]);
    return known != null ? known : add(own, base.unscheduled(tenant), base.scheduleAt(wallMicros));
  }

  /** Numbers that cannot be computed exactly leave the rule's own in force. */
  private Pool[] add(Pool[] own, Pool[] unscheduled, Ratio schedule) {
    Pool[] adjusted;
    try {
      adjusted = adjusted(unscheduled, schedule);
    } catch (IllegalArgumentException e) {
      adjusted = own;
    }
    Pool[] first = made.putIfAbsent(own[0], adjusted);
    return first == null ? adjusted : first;
  }

  private Pool[] adjusted(Pool[] unscheduled, Ratio schedule) {
    Pool[] pools = new Pool[unscheduled.length];
    for (int i = 0; i < pools.length; i++) {
      Pool pool = unscheduled[i];
      Limit limit =
          adjustment.of(pool.meter().limit(), pool.name(), unscheduled.length == 1, schedule);
      pools[i] = base.withLimit(pool, divisible(limit, base.rule().shards()));
    }
    return pools;
  }

  /** The limit with at least one token for each shard, unless it is 0. */
  private static Limit divisible(Limit limit, int shards) {
    if (limit.capacity() == 0 || limit.capacity() >= shards) {
      return limit;
    }
    return limit instanceof TokenBucket bucket
        ? bucket.burst(shards)
        : limit.scaled(Ratio.of(shards, limit.capacity()));
  }

  /** Why the adjustment cannot be applied to the rule; empty if it can. */
  Optional<String> problem() {
    List<Pool[]> plans = base.plans().stream().filter(plan -> plan.length > 0).toList();
    if (plans.isEmpty()) {
      return Optional.of("rule " + base.rule().id() + " has no limit");
    }
    if (adjustment.override() instanceof OverrideEffect.OtherLimit other) {
      plans = plans.stream().filter(plan -> isAbout(other, plan)).toList();
      if (plans.isEmpty()) {
        return Optional.of(mismatch(other));
      }
    }
    if (adjustment.isUnlimited()) {
      return Optional.empty();
    }
    List<Ratio> schedules = new ArrayList<>(List.of(Ratio.ONE));
    base.rule().schedule().forEach(schedule -> schedules.add(schedule.factor()));
    try {
      for (Ratio schedule : schedules) {
        adjusted(plans.get(0), schedule);
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("rule " + base.rule().id() + ": " + e.getMessage());
    }
  }

  private static boolean isAbout(OverrideEffect.OtherLimit other, Pool[] plan) {
    for (Pool pool : plan) {
      if (Adjustment.isAbout(other, pool.meter().limit(), pool.name(), plan.length == 1)) {
        return true;
      }
    }
    return false;
  }

  private String mismatch(OverrideEffect.OtherLimit other) {
    String limits =
        base.plans().stream()
            .flatMap(plan -> java.util.Arrays.stream(plan))
            .map(pool -> pool.name() + " (" + pool.meter().limit().algorithm() + ")")
            .distinct()
            .limit(8)
            .collect(Collectors.joining(", "));
    return "rule "
        + base.rule().id()
        + " has no "
        + other.limit().algorithm()
        + " limit "
        + (other.name().isEmpty() ? "that needs no name" : "named " + other.name())
        + "; it has "
        + limits;
  }
}
