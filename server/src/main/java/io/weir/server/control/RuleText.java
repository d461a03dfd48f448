package io.weir.server.control;

import io.weir.control.text.TextMapCodec;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import io.weir.rules.read.TierTable;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A valid text of the rule documents, and what was read from it.
 *
 * @param files texts by name
 * @param sha256 the digest by which versions are compared
 */
record RuleText(SortedMap<String, String> files, String sha256, RuleSet rules, TierTable tiers) {

  /** No documents and no rules. */
  static final RuleText NONE = of(Collections.emptySortedMap(), RuleSet.EMPTY);

  static RuleText of(SortedMap<String, String> files, RuleSet rules) {
    return new RuleText(files, TextMapCodec.sha256(files), rules, TierTable.of(files));
  }

  /** Reads documents; empty if they are invalid. */
  static Optional<RuleText> read(SortedMap<String, String> files, AttributeSource source) {
    if (files.isEmpty()) {
      return Optional.empty();
    }
    LoadResult<RuleSet> loaded = RuleDocuments.parse(files, source);
    return loaded.value().map(rules -> of(files, rules));
  }
}
