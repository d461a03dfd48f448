package io.weir.control.rollout.evidence;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the whole fleet saw of one changed rule: refusals of each version are summed per key before
 * anything is judged, since the calls of a key go to several instances.
 *
 * @param warming whether an instance waits for the first period to pass
 * @param stepKeys keys that called in this step, at most {@link RuleEvidence#STEP_KEYS}
 * @param keys the keys that every instance reports in full
 */
public record RuleTotals(String rule, boolean warming, List<Long> stepKeys, List<KeyCounts> keys) {
  public RuleTotals {
    stepKeys = List.copyOf(stepKeys);
    keys = List.copyOf(keys);
  }

  /**
   * Sums the evidence of all instances.
   *
   * @param step the step whose keys count; an instance may still report another one
   */
  public static RuleTotals sum(String rule, int step, Collection<RuleEvidence> instances) {
    long below = RuleEvidence.ALL_KEYS;
    boolean warming = false;
    TreeSet<Long> stepKeys = new TreeSet<>();
    for (RuleEvidence it : instances) {
      below = Math.min(below, it.below());
      warming |= it.warming();
      if (it.step() == step) {
        stepKeys.addAll(it.stepKeys());
      }
    }
    Map<Long, KeyCounts> keys = new TreeMap<>();
    for (RuleEvidence it : instances) {
      for (KeyCounts key : it.keys()) {
        if (key.hash() < below) {
          keys.merge(key.hash(), key, KeyCounts::plus);
        }
      }
    }
    return new RuleTotals(
        rule,
        warming,
        stepKeys.stream().limit(RuleEvidence.STEP_KEYS).toList(),
        List.copyOf(keys.values()));
  }

  public long calls() {
    return keys.stream().mapToLong(KeyCounts::calls).sum();
  }

  public long newlyRefusedCalls() {
    return keys.stream().mapToLong(KeyCounts::newlyRefusedCalls).sum();
  }

  public long newlyRefusedKeys() {
    return keys.stream().filter(KeyCounts::isNewlyRefused).count();
  }

  /** Keys that the old version refused at least once. */
  public long keysRefusedByOld() {
    return keys.stream().filter(it -> it.refusedByOld() > 0).count();
  }
}
