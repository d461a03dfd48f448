package io.weir.rule.index;

import io.weir.Key;
import io.weir.Mode;
import io.weir.adjust.Adjustment;
import io.weir.adjust.KeyControls;
import io.weir.adjust.OverrideControl;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.RejectedControl;
import io.weir.adjust.TrafficControls;
import io.weir.rule.Rule;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The pools of keys that are known by rule and values, without a call. */
public final class RuleKeys {
  private static final int TENANT_UNKNOWN = -1;

  private final Map<String, CompiledRule> byId;

  RuleKeys(Map<String, CompiledRule> byId) {
    this.byId = byId;
  }

  /**
   * A key of a rule that is in force.
   *
   * @param tenant the tenant whose plan applies; empty for the plan of all others
   * @param pools the pools in force for it; empty if it is not limited
   * @param buckets the pools whose buckets it has: the same, or the rule's own while an override
   *     lifts them
   * @param controls the controls of the key, if it has any
   */
  public record RuleKey(
      Rule rule,
      Key key,
      String tenant,
      List<Pool> pools,
      List<Pool> buckets,
      Optional<KeyControls> controls) {}

  /**
   * A key by its values.
   *
   * @param tenant selects the plan if the rule takes its limits from tiers and the key has no
   *     tenant; empty for the plan of all others
   * @return empty if there is no such rule, or it is off
   * @throws IllegalArgumentException if the rule's key has another number of dimensions
   */
  public Optional<RuleKey> find(
      String rule, List<String> values, String tenant, TrafficControls controls, long wallMicros) {
    CompiledRule known = byId.get(rule);
    if (known == null || known.rule.mode() == Mode.OFF) {
      return Optional.empty();
    }
    List<String> dimensions = known.rule.key();
    if (values.size() != dimensions.size()) {
      throw new IllegalArgumentException(
          "the key of rule " + rule + " is " + dimensions + ", not " + values.size() + " values");
    }
    int own = dimensions.indexOf("tenant");
    String plan = own == TENANT_UNKNOWN ? tenant : values.get(own);
    Key key = Key.of(values.toArray(String[]::new));
    List<Pool> pools = List.of(pools(known, key, plan, controls, wallMicros));
    return Optional.of(
        new RuleKey(
            known.rule,
            key,
            plan,
            pools,
            pools.isEmpty() ? List.of(known.pools.at(wallMicros, plan)) : pools,
            Optional.ofNullable(controls.find(key))));
  }

  private static Pool[] pools(
      CompiledRule rule, Key key, String tenant, TrafficControls controls, long wallMicros) {
    KeyControls ofKey = controls.find(key);
    String id = rule.rule.id();
    Adjustment adjustment =
        ofKey == null
            ? Adjustment.NONE
            : ofKey.peek(id, wallMicros, controls.isKilled(id, tenant, wallMicros));
    Adjustment whole =
        rule.drawMode(key) == Mode.ENFORCE ? rule.withPenalty(adjustment, key) : adjustment;
    return rule.pools(whole, wallMicros, tenant);
  }

  /**
   * The pool in force of an earlier draw on a key; empty if its rule or limit no longer exists. A
   * key that is unlimited by now has the rule's own.
   */
  public Optional<Pool> pool(
      String rule, String slot, Key key, String tenant, TrafficControls controls, long wallMicros) {
    CompiledRule known = byId.get(rule);
    if (known == null) {
      return Optional.empty();
    }
    if (controls.hasKeys()) {
      for (Pool pool : pools(known, key, tenant, controls, wallMicros)) {
        Optional<Pool> found = pool.find(slot);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return known.pools.find(wallMicros, tenant, slot);
  }

  /**
   * Creates the pools of all overrides, so that calls only select, and drops those that no override
   * needs any more.
   *
   * @return the overrides that cannot be applied
   */
  public List<RejectedControl> load(TrafficControls controls) {
    List<RejectedControl> rejected = new ArrayList<>();
    Map<String, Set<OverrideEffect>> used = new HashMap<>();
    for (OverrideControl override : controls.overrides()) {
      CompiledRule rule = byId.get(override.rule());
      if (rule == null) {
        rejected.add(new RejectedControl(override.id(), "no rule " + override.rule()));
        continue;
      }
      used.computeIfAbsent(override.rule(), any -> new HashSet<>()).add(override.effect());
      Optional<String> problem = Optional.empty();
      for (Adjustment adjustment : override.adjustments()) {
        problem = problem.or(rule.adjusted(adjustment)::problem);
      }
      problem.ifPresent(reason -> rejected.add(new RejectedControl(override.id(), reason)));
    }
    byId.forEach((id, rule) -> rule.keepAdjusted(used.getOrDefault(id, Set.of())));
    return rejected;
  }
}
