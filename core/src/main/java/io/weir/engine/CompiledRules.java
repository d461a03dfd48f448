package io.weir.engine;

import io.weir.Key;
import io.weir.Mode;
import io.weir.adjust.TrafficControls;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.index.BypassIndex;
import io.weir.rule.index.RuleIndex;
import io.weir.rule.penalty.TightenedKeys;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import java.util.Optional;

/**
 * A rule set with its indexes and the controls beside it, swapped as one when either changes.
 *
 * @param controls overrides, blocks, signals and kill switches
 */
public record CompiledRules(
    RuleIndex index,
    BypassIndex bypasses,
    DeferredCostRules deferredCosts,
    TrafficControls controls) {
  /**
   * Compiles a rule set.
   *
   * @param tightened the keys that get the tighter limits of their rule's penalty
   */
  public static CompiledRules of(RuleSet set, TightenedKeys tightened) {
    return new CompiledRules(
        RuleIndex.of(set, tightened),
        new BypassIndex(set.bypasses()),
        DeferredCostRules.of(set),
        TrafficControls.NONE);
  }

  /** The same rules under other controls. */
  public CompiledRules with(TrafficControls other) {
    return new CompiledRules(index, bypasses, deferredCosts, other);
  }

  /** The pool in force of an earlier draw; empty if its rule or limit no longer exists. */
  public Optional<Pool> pool(String rule, String slot, Key key, String tenant, long wallMicros) {
    return index.keys().pool(rule, slot, key, tenant, controls, wallMicros);
  }

  /** Reserves room in memory for the keys of every rule, and returns this. */
  public CompiledRules registerWith(MemoryStore memory) {
    memory.reserveShares(
        index.rules().rules().stream()
            .filter(rule -> rule.mode() != Mode.OFF)
            .map(Rule::id)
            .toList());
    return this;
  }
}
