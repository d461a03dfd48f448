package io.weir.rule;

/**
 * A rule and the pattern by which a path leads to it.
 *
 * @param choice the pattern's place among the rule's own, the first of which counts
 */
record Hit(CompiledRule rule, PathPattern route, int choice) {
  boolean comesBefore(Hit other) {
    return rule.ordinal != other.rule.ordinal
        ? rule.ordinal < other.rule.ordinal
        : choice < other.choice;
  }
}
