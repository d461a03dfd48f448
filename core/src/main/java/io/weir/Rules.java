package io.weir;

import io.weir.rule.BypassIndex;
import io.weir.rule.Rule;
import io.weir.rule.RuleIndex;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;

/** A rule set, ready to decide by: what is swapped when rules change. */
record Rules(RuleIndex index, BypassIndex bypasses, LaterRules later) {
  static Rules of(RuleSet set) {
    return new Rules(RuleIndex.of(set), new BypassIndex(set.bypasses()), LaterRules.of(set));
  }

  /** The same, with room for the keys of every rule in memory. */
  Rules expectedIn(MemoryStore memory) {
    memory.expect(
        index.rules().rules().stream()
            .filter(rule -> rule.mode() != Mode.OFF)
            .map(Rule::id)
            .toList());
    return this;
  }
}
