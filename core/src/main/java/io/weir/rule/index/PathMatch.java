package io.weir.rule.index;

import io.weir.rule.PathPattern;

/**
 * A rule and the pattern by which a path matches it.
 *
 * @param choice the index of the pattern in its rule; if several match, the first counts
 */
record PathMatch(CompiledRule rule, PathPattern route, int choice) {
  boolean comesBefore(PathMatch other) {
    return rule.ordinal != other.rule.ordinal
        ? rule.ordinal < other.rule.ordinal
        : choice < other.choice;
  }
}
