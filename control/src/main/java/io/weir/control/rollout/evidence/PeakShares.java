package io.weir.control.rollout.evidence;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The largest share of newly refused keys that each rule of a replay has within 60 s, as the judge
 * of a rollout will count it: per key, in windows that start every 5 s.
 *
 * <p>The share over a whole recording is no measure of that. A key that both versions refuse at
 * some time in 10 minutes is not newly refused in the whole recording, and yet is in the minutes in
 * which only the new version refuses it. In a model, 5 of 400 harmless changes were rolled back
 * when the share over 10 minutes was the expectation, and none when it was the peak of 60 s.
 *
 * <p>Calls come in the order of their time. Belongs to one thread.
 */
public final class PeakShares {
  private static final long SLOT_MICROS = EvidenceWindow.SLOT.toNanos() / 1000;
  private static final long SLOTS = EvidenceWindow.WINDOW.dividedBy(EvidenceWindow.SLOT);

  private static final class RulePeak {
    final EvidenceWindow window = new EvidenceWindow();
    double share;

    void look() {
      share = Math.max(share, window.newlyRefusedShare());
    }
  }

  private final SortedMap<String, RulePeak> rules = new TreeMap<>();
  private long slot = Long.MIN_VALUE;

  /**
   * Counts a call that a rule decided under both versions.
   *
   * @param micros since any fixed moment
   * @param key the 64-bit hash of the key
   */
  public void add(long micros, String rule, long key, boolean refusedByOld, boolean refusedByNew) {
    long current = Math.floorDiv(micros, SLOT_MICROS);
    if (slot == Long.MIN_VALUE) {
      slot = current;
    }
    // A gap longer than the window empties it; more slots than that change nothing.
    for (long left = Math.min(current - slot, SLOTS); left > 0; left--) {
      endSlot();
    }
    slot = Math.max(slot, current);
    rules
        .computeIfAbsent(rule, it -> new RulePeak())
        .window
        .add(key, 1, refusedByOld ? 1 : 0, refusedByNew ? 1 : 0);
  }

  private void endSlot() {
    for (RulePeak rule : rules.values()) {
      rule.look();
      rule.window.endSlot();
    }
  }

  /** The peak of each rule that refuses a key newly, from all calls so far. */
  public SortedMap<String, Double> shares() {
    SortedMap<String, Double> shares = new TreeMap<>();
    rules.forEach(
        (name, rule) -> {
          rule.look();
          if (rule.share > 0) {
            shares.put(name, rule.share);
          }
        });
    return shares;
  }
}
