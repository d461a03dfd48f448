package io.weir.rule.index;

import io.weir.Call;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.limit.LeaseCap;
import io.weir.limit.LimitDivision;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.Scope;
import io.weir.rule.TenantPlan;
import io.weir.store.Pool;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pools of one rule, by the tenant's plan and by schedule. All of them are created when rules
 * are loaded, so that a call only selects.
 */
final class RulePools {
  private static final Pool[] NONE = {};
  private static final long MINUTE_MICROS = 60_000_000;

  /** The schedule that applies in a given minute; schedules begin and end at whole minutes. */
  private record ActiveSchedule(long minute, int variant) {}

  private final Rule rule;
  private final boolean byTenant;

  /** One map per schedule, and the unscaled one last. */
  private final List<Map<String, Pool[]>> variants = new ArrayList<>();

  /** The only pools, if neither tenant nor schedule matters; else null. */
  private final Pool @Nullable [] only;

  private volatile ActiveSchedule active = new ActiveSchedule(Long.MIN_VALUE, 0);

  RulePools(Rule rule, Map<String, TenantPlan> tenants) {
    this.rule = rule;
    this.byTenant = rule.limits() instanceof RuleLimits.OfTier;
    for (Schedule schedule : rule.schedule()) {
      variants.add(variant(tenants, schedule.factor()));
    }
    variants.add(variant(tenants, Ratio.ONE));
    this.only = byTenant || variants.size() > 1 ? null : variants.get(0).get(RuleSet.EVERYONE_ELSE);
  }

  private Map<String, Pool[]> variant(Map<String, TenantPlan> tenants, Ratio scale) {
    Map<String, Pool[]> pools = new HashMap<>();
    if (rule.limits() instanceof RuleLimits.Listed listed) {
      pools.put(RuleSet.EVERYONE_ELSE, listed(listed, scale));
    } else if (byTenant) {
      // Tenants of one tier share a plan, and so its pools: there may be a million of them.
      IdentityHashMap<TenantPlan, Pool[]> byPlan = new IdentityHashMap<>();
      tenants.forEach(
          (tenant, plan) ->
              pools.put(tenant, byPlan.computeIfAbsent(plan, it -> ofPlan(it, scale))));
    } else {
      pools.put(RuleSet.EVERYONE_ELSE, NONE);
    }
    return pools;
  }

  private Pool[] listed(RuleLimits.Listed listed, Ratio scale) {
    Pool[] pools = new Pool[listed.limits().size()];
    for (int i = 0; i < pools.length; i++) {
      Limit limit = listed.limits().get(i);
      String unnamed = pools.length == 1 ? rule.id() : rule.id() + "." + (i + 1);
      String shown = limit.name().isEmpty() ? unnamed : limit.name();
      pools[i] = pool(shown, listed.slot(i), scaled(limit, scale));
    }
    return pools;
  }

  private Pool[] ofPlan(TenantPlan plan, Ratio scale) {
    Pool[] pools = new Pool[plan.limits().size()];
    for (int i = 0; i < pools.length; i++) {
      Limit limit = plan.limits().get(i);
      pools[i] = pool(rule.id() + "." + limit.name(), limit.name(), scaled(limit, scale));
    }
    return pools;
  }

  private static Limit scaled(Limit limit, Ratio scale) {
    return scale.equals(Ratio.ONE) ? limit : limit.scaled(scale);
  }

  private Pool pool(String name, String slot, Limit limit) {
    Pool pool =
        new Pool(rule.id(), name, slot, limit, rule.countDenied())
            .withDimension(rule.key().isEmpty() ? "" : rule.key().get(0))
            .onFail(rule.onFail(), rule.localFactor())
            .hidden(rule.options().hidden())
            .withLeaseCap(lends(limit));
    Pool kept = rule.scope() == Scope.INSTANCE ? pool.keptLocally() : pool;
    return rule.shards() == 1
        ? kept
        : kept.sharded(LimitDivision.of(limit, rule.shards()), this::lends);
  }

  /** A pool with other numbers of the same algorithm: the same buckets. */
  Pool withLimit(Pool pool, Limit limit) {
    return pool(pool.name(), pool.slot().substring(1), limit); // without the algorithm's letter
  }

  private long lends(Limit limit) {
    return LeaseCap.of(limit, rule.accuracy().millionths());
  }

  /** The tenant whose plan applies to a call; empty if plans do not matter. */
  String tenantOf(Call call) {
    String tenant = byTenant ? call.attribute("tenant") : null;
    return tenant == null ? "" : tenant;
  }

  /** The pools in force now. */
  Pool[] at(long wallMicros, String tenant) {
    if (only != null) {
      return only;
    }
    Map<String, Pool[]> pools = variants.get(variants.size() == 1 ? 0 : variantAt(wallMicros));
    return of(pools, tenant);
  }

  private Pool[] of(Map<String, Pool[]> pools, String tenant) {
    Pool[] own = byTenant ? pools.get(tenant) : null;
    return own != null ? own : pools.get(RuleSet.EVERYONE_ELSE);
  }

  /** The pool or shard with this slot that is in force now; empty if the rule no longer has one. */
  Optional<Pool> find(long wallMicros, String tenant, String slot) {
    for (Pool pool : at(wallMicros, tenant)) {
      Optional<Pool> found = pool.find(slot);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** The pools of a tenant's plan as no schedule scales them. */
  Pool[] unscheduled(String tenant) {
    return of(variants.get(variants.size() - 1), tenant);
  }

  /** The pools of every plan as no schedule scales them. */
  Collection<Pool[]> plans() {
    return variants.get(variants.size() - 1).values();
  }

  /** The factor of the schedule in force. */
  Ratio scheduleAt(long wallMicros) {
    int variant = scheduled() ? variantAt(wallMicros) : rule.schedule().size();
    return variant == rule.schedule().size() ? Ratio.ONE : rule.schedule().get(variant).factor();
  }

  Rule rule() {
    return rule;
  }

  boolean scheduled() {
    return variants.size() > 1;
  }

  private int variantAt(long wallMicros) {
    long minute = Math.floorDiv(wallMicros, MINUTE_MICROS);
    ActiveSchedule known = active;
    if (known.minute() != minute) {
      known = new ActiveSchedule(minute, choose(minute));
      active = known;
    }
    return known.variant();
  }

  private int choose(long minute) {
    ZonedDateTime moment = Instant.ofEpochSecond(minute * 60).atZone(ZoneOffset.UTC);
    for (int i = 0; i < rule.schedule().size(); i++) {
      if (rule.schedule().get(i).covers(moment)) {
        return i;
      }
    }
    return rule.schedule().size();
  }
}
