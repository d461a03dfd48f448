package io.weir.rule.index;

import io.weir.rule.PathPattern;

/**
 * A rule and the pattern by which a path leads to it.
 *
 * @param choice the pattern's place among the rule's own, the first of which counts
 */
record PathMatch(CompiledRule rule, PathPattern route, int choice) {
  boolean comesBefore(PathMatch other) {
    return rule.ordinal != other.rule.ordinal
        ? rule.ordinal < other.rule.ordinal
        : choice < other.choice;
  }
}
