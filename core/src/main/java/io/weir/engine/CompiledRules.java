package io.weir.engine;

import io.weir.Mode;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.index.BypassIndex;
import io.weir.rule.index.RuleIndex;
import io.weir.store.memory.MemoryStore;

/** A rule set with its indexes, swapped as one when rules change. */
public record CompiledRules(RuleIndex index, BypassIndex bypasses, DeferredCostRules later) {
  public static CompiledRules of(RuleSet set) {
    return new CompiledRules(
        RuleIndex.of(set), new BypassIndex(set.bypasses()), DeferredCostRules.of(set));
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
