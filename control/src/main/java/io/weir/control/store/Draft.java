package io.weir.control.store;

import io.weir.control.text.StorableText;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is to become a version.
 *
 * @param files the whole set of documents by name
 * @param whatIf JSON, or empty
 * @param expectation JSON, or empty
 * @param plan the steps of the rollout, as the driver reads them
 * @param state the rollout's first state
 */
public record Draft(
    SortedMap<String, String> files,
    String whatIf,
    String expectation,
    String plan,
    RolloutState state) {
  public Draft {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    files.forEach(
        (name, text) -> {
          StorableText.require("file name", name);
          StorableText.require(name, text);
        });
    StorableText.require("what-if", whatIf);
    StorableText.require("expectation", expectation);
    StorableText.require("plan", plan);
  }
}
