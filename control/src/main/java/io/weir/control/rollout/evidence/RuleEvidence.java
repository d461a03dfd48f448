package io.weir.control.rollout.evidence;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one instance saw of one changed rule in the last 60 s, and the first keys of the whole step.
 * It is sent as a text of at most {@link io.weir.control.store.SampleStore#MAX_BYTES}.
 *
 * <p><b>Bounded.</b> Keys are kept in the order of their hashes. If they do not fit, those with the
 * largest hashes are left out, and {@code below} says from which hash on. All instances leave out
 * the same end, so the keys below the lowest bound are complete in the sum.
 *
 * @param step the step of the plan that {@code stepKeys} belongs to
 * @param warming whether the evidence does not count yet: algorithm, key or shards have changed,
 *     there was no bucket to copy, and the first period has not passed
 * @param changedRules how many rules differ; an instance sends the 20 busiest of them
 * @param below keys with this short hash or a larger one are not all here; {@link #ALL_KEYS} if
 *     none is missing
 * @param stepKeys the smallest short hashes of keys that called in this step, at most {@link
 *     #STEP_KEYS}, in order
 * @param keys in the order of their hashes
 */
public record RuleEvidence(
    int step,
    boolean warming,
    int changedRules,
    long below,
    List<Long> stepKeys,
    List<KeyCounts> keys) {
  /** No key is missing. */
  public static final long ALL_KEYS = 1L << KeyCounts.HASH_BITS;

  /** So many keys of a step are enough to judge it. */
  public static final int STEP_KEYS = 10;

  /** How many changed rules are judged. */
  public static final int MAX_RULES = 20;

  /**
   * The rule id under which an instance reports that it follows the rollout and no rule differs.
   */
  public static final String NO_RULE = "";

  public RuleEvidence {
    stepKeys = List.copyOf(stepKeys);
    keys = List.copyOf(keys);
  }

  /** What an instance sends under {@link #NO_RULE}. */
  public static RuleEvidence noRuleDiffers(int step) {
    return new RuleEvidence(step, false, 0, ALL_KEYS, List.of(), List.of());
  }

  /** The text for the table of samples; keys that do not fit are left out. */
  public String encode() {
    return EvidenceCodec.encode(this);
  }

  /**
   * Reads the text of a sample.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  public static RuleEvidence decode(String text) {
    return EvidenceCodec.decode(text);
  }

  public long calls() {
    return keys.stream().mapToLong(KeyCounts::calls).sum();
  }

  /** The {@link #MAX_RULES} busiest rules of an instance; all if there are no more. */
  public static SortedMap<String, RuleEvidence> busiest(Map<String, RuleEvidence> rules) {
    SortedMap<String, RuleEvidence> chosen = new TreeMap<>();
    rules.entrySet().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<String, RuleEvidence> it) -> -it.getValue().calls())
                .thenComparing(Map.Entry::getKey))
        .limit(MAX_RULES)
        .forEach(it -> chosen.put(it.getKey(), it.getValue()));
    return chosen;
  }
}
