package io.weir.control.rollout;

import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.store.SampleStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Sends what an instance sees of a rollout: one sample for each changed rule, at most the 20
 * busiest, every 5 s. An instance that sees no call still reports, so that the driver can tell
 * silence from absence. Belongs to one thread; blocks as the database does.
 */
public final class EvidenceReporter {
  /**
   * The last 60 s of one changed rule.
   *
   * @param warming whether the evidence does not count yet
   * @param below as in {@link RuleEvidence}
   * @param keys in the order of their hashes
   */
  public record RuleWindow(String rule, boolean warming, long below, List<KeyCounts> keys) {
    public RuleWindow {
      keys = List.copyOf(keys);
    }
  }

  private final SampleStore samples;
  private final String instance;
  private final Map<String, TreeSet<Long>> stepKeys = new HashMap<>();
  private long rollout;
  private int step;

  public EvidenceReporter(SampleStore samples, String instance) {
    this.samples = samples;
    this.instance = instance;
  }

  /**
   * Reports on a rollout that has not ended.
   *
   * @param step the step that this instance applies
   * @param rules every rule that differs; empty if none does
   */
  public void report(long rollout, int step, List<RuleWindow> rules) {
    if (this.rollout != rollout || this.step != step) {
      this.rollout = rollout;
      this.step = step;
      stepKeys.clear();
    }
    Map<String, RuleEvidence> evidence = new HashMap<>();
    for (RuleWindow it : rules) {
      evidence.put(it.rule(), evidence(it, rules.size()));
    }
    if (evidence.isEmpty()) {
      evidence.put(RuleEvidence.NO_RULE, RuleEvidence.noRuleDiffers(step));
    }
    RuleEvidence.busiest(evidence)
        .forEach((rule, it) -> samples.put(rollout, instance, rule, it.encode()));
  }

  private RuleEvidence evidence(RuleWindow it, int changedRules) {
    TreeSet<Long> first = stepKeys.computeIfAbsent(it.rule(), rule -> new TreeSet<>());
    for (KeyCounts key : it.keys()) {
      first.add(key.hash());
      if (first.size() > RuleEvidence.STEP_KEYS) {
        first.pollLast();
      }
    }
    return new RuleEvidence(
        step, it.warming(), changedRules, it.below(), List.copyOf(first), it.keys());
  }
}
