package io.weir;

import io.weir.rule.BypassIndex;
import io.weir.rule.RuleIndex;
import io.weir.rule.RuleSet;

/** A rule set, ready to decide by: what is swapped when rules change. */
record Rules(RuleIndex index, BypassIndex bypasses, LaterRules later) {
  static Rules of(RuleSet set) {
    return new Rules(RuleIndex.of(set), new BypassIndex(set.bypasses()), LaterRules.of(set));
  }
}
