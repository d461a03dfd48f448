package io.weir.server.control;

import io.weir.rule.RuleSet;
import java.util.List;
import java.util.Optional;

/**
 * Questions to recorded traffic. Methods may block for some seconds, while the recordings of other
 * instances are collected, and are called on a worker thread. Empty if nothing is recorded.
 */
public interface TrafficOperations {
  /** What other rules would have done to the recorded calls, as JSON. */
  Optional<String> whatIf(RuleSet candidate);

  /** A limit for a rule in force, as JSON. */
  Optional<String> suggestForRule(String rule);

  /** A limit for all calls with these parts of a key, as JSON. */
  Optional<String> suggestForKey(List<String> parts);
}
