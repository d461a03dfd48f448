package io.weir.rules;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.Scale;
import io.weir.TokenBucket;
import io.weir.limit.LimitSpec;
import io.weir.rule.Cost;
import io.weir.rule.Plan;
import io.weir.rule.RuleSet;
import io.weir.rules.LimitReader.LimitAt;
import io.weir.rules.ScheduleReader.ScheduleAt;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Refuses rules whose calls cost more than their limit can ever hold: as written, split into
 * shards, or in the hours of a schedule. A limit of 0 is meant to refuse and is left alone.
 */
final class CapacityCheck {
  /** Scaling every plan by every factor ends here; nobody has so many of both. */
  private static final int MOST_SCALINGS = 1_000_000;

  /** Of all plans, the smallest limit of each name, and whose it is. */
  private final Map<String, LimitOf> tightest = new LinkedHashMap<>();

  private final Map<String, Plan> tenants;
  private int scalings;

  /** A plan's limit, and in words whose. */
  private record LimitOf(Limit limit, String owner) {}

  CapacityCheck(Map<String, Plan> tenants) {
    this.tenants = tenants;
    tenants.forEach(
        (tenant, plan) -> {
          for (Limit limit : plan.limits()) {
            LimitOf found = tightest.get(limit.name());
            if (limit.capacity() > 0
                && (found == null || limit.capacity() < found.limit().capacity())) {
              tightest.put(limit.name(), new LimitOf(limit, owner(tenant, plan)));
            }
          }
        });
  }

  private static String owner(String tenant, Plan plan) {
    return tenant.equals(RuleSet.EVERYONE_ELSE)
        ? " of tier " + plan.tier()
        : " of tenant " + tenant;
  }

  void check(RuleDraft rule) {
    for (LimitAt limit : rule.listed()) {
      check(rule, limit.limit(), limit.line(), "");
    }
    if (rule.isOfTier()) {
      for (LimitOf limit : tightest.values()) {
        int line = rule.fields().line(rule.fields().has("cost") ? "cost" : "limit");
        check(rule, limit.limit(), line, limit.owner());
        if (rule.shards() > 1 && !splits(limit.limit().algorithm())) {
          rule.place()
              .error(
                  rule.fields().line("shards"),
                  "shards cannot split the " + limit.limit().algorithm() + limit.owner());
        }
      }
      tenants.forEach((tenant, plan) -> scaleAll(rule, tenant, plan));
    }
  }

  private void check(RuleDraft rule, Limit limit, int line, String owner) {
    long cost = rule.cost().map(CapacityCheck::least).orElse(0L);
    Optional<String> tooSmall = tooSmall(limit, owner, rule.shards(), cost);
    if (tooSmall.isPresent()) {
      rule.place().error(line, tooSmall.get());
      return;
    }
    for (ScheduleAt entry : rule.schedules()) {
      Scale factor = entry.schedule().factor();
      scaled(rule, limit, owner, entry)
          .flatMap(l -> tooSmall(l, owner, rule.shards(), cost))
          .ifPresent(
              reason ->
                  rule.place()
                      .error(entry.line(), "schedule: with factor " + factor + " " + reason));
    }
  }

  /** Whether a bucket of this algorithm can be split into shards. */
  static boolean splits(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, QUOTA -> true;
      case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> false;
    };
  }

  /** What a call that says nothing itself costs. */
  private static long least(Cost cost) {
    if (cost instanceof Cost.Fixed fixed) {
      return fixed.amount();
    } else if (cost instanceof Cost.FromAttribute attribute) {
      return attribute.otherwise();
    } else if (cost instanceof Cost.FromResponse response) {
      return response.reserve();
    }
    throw new AssertionError(cost);
  }

  private static Optional<String> tooSmall(Limit limit, String owner, int shards, long cost) {
    long capacity = limit.capacity();
    if (capacity == 0 || cost <= capacity / shards) {
      return Optional.empty();
    }
    String split =
        shards == 1 ? "" : " over " + shards + " shards is " + capacity / shards + " each, which";
    return Optional.of(capacityOf(limit) + owner + split + " is smaller than cost " + cost);
  }

  private static String capacityOf(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET -> "burst " + ((TokenBucket) limit).burst();
      case LEAKY_BUCKET -> "room for " + limit.capacity() + " (the queue and one)";
      case CONCURRENCY -> "permits " + limit.capacity();
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG, QUOTA ->
          "limit " + LimitSpec.print(limit.named(""));
    };
  }

  private void scaleAll(RuleDraft rule, String tenant, Plan plan) {
    for (ScheduleAt entry : rule.schedules()) {
      for (Limit limit : plan.limits()) {
        if (scalings < MOST_SCALINGS && rule.place().isListening()) {
          scalings++;
          scaled(rule, limit, owner(tenant, plan), entry);
        }
      }
    }
  }

  private static Optional<Limit> scaled(
      RuleDraft rule, Limit limit, String owner, ScheduleAt entry) {
    Scale factor = entry.schedule().factor();
    try {
      return Optional.of(limit.scaled(factor));
    } catch (IllegalArgumentException | ArithmeticException e) {
      rule.place()
          .error(
              entry.line(),
              "schedule: factor "
                  + factor
                  + " makes limit "
                  + limit
                  + owner
                  + " impossible: "
                  + e.getMessage());
      return Optional.empty();
    }
  }
}
