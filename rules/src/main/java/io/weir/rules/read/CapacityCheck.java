package io.weir.rules.read;

import io.weir.Limit;
import io.weir.Ratio;
import io.weir.TokenBucket;
import io.weir.limit.LimitDivision;
import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.rules.read.LimitReader.LocatedLimit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rejects rules whose calls cost more than their limit can ever hold: as written, split into
 * shards, or scaled by a schedule or a penalty. A limit of 0 refuses all calls on purpose and is
 * not checked.
 */
final class CapacityCheck {
  /** Cap on checked combinations of plans and factors; real documents have far fewer. */
  private static final int MAX_SCALINGS = 1_000_000;

  /** All distinct limits of plans, each with its owner for messages. */
  private final Map<Limit, String> planned = new LinkedHashMap<>();

  /** The smallest planned limit of each name. */
  private final Map<String, Limit> tightest = new LinkedHashMap<>();

  private int scalings;

  CapacityCheck(Map<String, TenantPlan> tenants) {
    tenants.forEach(
        (tenant, plan) -> {
          for (Limit limit : plan.limits()) {
            planned.putIfAbsent(limit, owner(tenant, plan));
            if (limit.capacity() > 0) {
              tightest.merge(limit.name(), limit, (a, b) -> a.capacity() <= b.capacity() ? a : b);
            }
          }
        });
  }

  private static String owner(String tenant, TenantPlan plan) {
    return tenant.equals(RuleSet.EVERYONE_ELSE)
        ? " of tier " + plan.tier()
        : " of tenant " + tenant;
  }

  void check(RuleDraft rule) {
    rule.listed().forEach(limit -> check(rule, limit, ""));
    rule.candidate().forEach(limit -> check(rule, limit, " of candidate"));
    if (rule.isOfTier()) {
      splittable(rule);
      planned.forEach((limit, owner) -> possible(rule, limit, owner));
      planned.forEach((limit, owner) -> exactlySplit(rule, limit, owner));
      int line = rule.fields().line(rule.fields().has("cost") ? "cost" : "limit");
      tightest
          .values()
          .forEach(limit -> largeEnough(rule, limit, line, String.valueOf(planned.get(limit))));
    }
  }

  private void check(RuleDraft rule, LocatedLimit limit, String owner) {
    possible(rule, limit.limit(), owner);
    largeEnough(rule, limit.limit(), limit.line(), owner);
    exactlySplit(rule, limit.limit(), owner);
  }

  private void splittable(RuleDraft rule) {
    planned.entrySet().stream()
        .filter(plan -> rule.shards() > 1 && !LimitDivision.divides(plan.getKey().algorithm()))
        .findFirst()
        .ifPresent(
            plan ->
                rule.location()
                    .error(
                        rule.fields().line("shards"),
                        "shards cannot split the " + plan.getKey().algorithm() + plan.getValue()));
  }

  /**
   * Rejects shards that cannot be computed exactly; {@code largeEnough} reports those too small.
   */
  private static void exactlySplit(RuleDraft rule, Limit limit, String owner) {
    if (rule.shards() == 1 || !rule.location().hasRoomForProblems()) {
      return;
    }
    exactlySplit(rule, limit, rule.fields().line("shards"), owner);
    for (Scaling scaling : Scaling.of(rule)) {
      String scaledOwner = owner + "; " + scaling.field() + ": with factor " + scaling.text();
      scaled(limit, scaling)
          .ifPresent(scaled -> exactlySplit(rule, scaled, scaling.line(), scaledOwner));
    }
  }

  private static void exactlySplit(RuleDraft rule, Limit limit, int line, String owner) {
    boolean reportedElsewhere =
        !LimitDivision.divides(limit.algorithm())
            || tooSmall(limit, owner, rule.shards(), costOf(rule)).isPresent();
    if (reportedElsewhere) {
      return;
    }
    try {
      LimitDivision.of(limit, rule.shards());
    } catch (IllegalArgumentException e) {
      rule.location().error(line, e.getMessage() + owner);
    }
  }

  /** Rejects factors that give a limit which cannot be represented exactly. */
  private void possible(RuleDraft rule, Limit limit, String owner) {
    if (scalings >= MAX_SCALINGS || !rule.location().hasRoomForProblems()) {
      return;
    }
    List<Scaling> all = Scaling.of(rule);
    scalings += 1 + all.size();
    Ratio local = rule.rule().map(Rule::localFactor).orElse(Ratio.ONE);
    int line = rule.fields().line("local_factor");
    String made = " makes limit " + limit + owner;
    possible(rule, line, "local_factor " + local + made, () -> limit.scaled(local));
    for (Scaling scaling : all) {
      String what = scaling.field() + ": factor " + scaling.text() + made;
      possible(rule, scaling.line(), what, () -> scaling.apply(limit));
    }
  }

  private static void possible(RuleDraft rule, int line, String what, Runnable scaled) {
    try {
      scaled.run();
    } catch (IllegalArgumentException | ArithmeticException e) {
      rule.location().error(line, what + " impossible: " + e.getMessage());
    }
  }

  private static void largeEnough(RuleDraft rule, Limit limit, int line, String owner) {
    long cost = costOf(rule);
    Optional<String> tooSmall = tooSmall(limit, owner, rule.shards(), cost);
    if (tooSmall.isPresent()) {
      rule.location().error(line, tooSmall.get());
      return;
    }
    for (Scaling scaling : Scaling.of(rule)) {
      String what = scaling.field() + ": with factor " + scaling.text() + " ";
      scaled(limit, scaling)
          .flatMap(scaled -> tooSmall(scaled, owner, rule.shards(), cost))
          .ifPresent(reason -> rule.location().error(scaling.line(), what + reason));
    }
  }

  /** The limit times a factor; empty if that is impossible, which {@code possible} reports. */
  private static Optional<Limit> scaled(Limit limit, Scaling scaling) {
    try {
      return Optional.of(scaling.apply(limit));
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static long costOf(RuleDraft rule) {
    return rule.cost().map(CapacityCheck::least).orElse(0L);
  }

  /** Cost of a call that does not state its own. */
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
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG, QUOTA -> "limit " + limit.named("");
    };
  }
}
