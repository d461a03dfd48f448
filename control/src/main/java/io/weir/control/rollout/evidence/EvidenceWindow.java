package io.weir.control.rollout.evidence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The last 60 s of one changed rule on one instance, in slots of 5 s. The instance adds what it
 * counted, ends the slot every 5 s, and sends {@link #evidence}. Belongs to one thread.
 */
public final class EvidenceWindow {
  /** How often evidence is sent and judged. */
  public static final Duration SLOT = Duration.ofSeconds(5);

  /** What evidence covers. */
  public static final Duration WINDOW = Duration.ofSeconds(60);

  private static final int SLOTS = (int) WINDOW.dividedBy(SLOT);

  /** Counts of one key, slot by slot: calls, refused by old, refused by new. */
  private static final class KeySlots {
    private static final int WIDTH = 3;
    private final long[] counts = new long[SLOTS * WIDTH];

    void add(int slot, long calls, long old, long fresh) {
      counts[slot * WIDTH] += calls;
      counts[slot * WIDTH + 1] += old;
      counts[slot * WIDTH + 2] += fresh;
    }

    void clear(int slot) {
      for (int i = 0; i < WIDTH; i++) {
        counts[slot * WIDTH + i] = 0;
      }
    }

    KeyCounts sum(long hash) {
      long[] sums = new long[WIDTH];
      for (int i = 0; i < counts.length; i++) {
        sums[i % WIDTH] += counts[i];
      }
      return new KeyCounts(hash, sums[0], sums[1], sums[2]);
    }
  }

  private final Map<Long, KeySlots> keys = new HashMap<>();
  private final long[] below = new long[SLOTS];
  private final TreeSet<Long> stepKeys = new TreeSet<>();
  private int slot;
  private int step;

  public EvidenceWindow() {
    for (int i = 0; i < SLOTS; i++) {
      below[i] = RuleEvidence.ALL_KEYS;
    }
  }

  /** Notes the step of the plan; keys of the step before are forgotten. */
  public void enter(int step) {
    if (step != this.step) {
      this.step = step;
      stepKeys.clear();
    }
  }

  /**
   * Adds what a key got since it was last added.
   *
   * @param hash the key's 64-bit hash
   */
  public void add(long hash, long calls, long refusedByOld, long refusedByNew) {
    if (calls == 0) {
      return;
    }
    long key = KeyCounts.shortHash(hash);
    keys.computeIfAbsent(key, it -> new KeySlots()).add(slot, calls, refusedByOld, refusedByNew);
    stepKeys.add(key);
    if (stepKeys.size() > RuleEvidence.STEP_KEYS) {
      stepKeys.pollLast();
    }
  }

  /**
   * Notes that in this slot only keys below a hash were sampled.
   *
   * @param hash 64 bits, unsigned
   */
  public void sampledBelow(long hash) {
    below[slot] = Math.min(below[slot], KeyCounts.shortHash(hash));
  }

  /** Starts the next slot; what is older than 60 s is forgotten. */
  public void endSlot() {
    slot = (slot + 1) % SLOTS;
    below[slot] = RuleEvidence.ALL_KEYS;
    Iterator<Map.Entry<Long, KeySlots>> all = keys.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Long, KeySlots> entry = all.next();
      entry.getValue().clear(slot);
      if (entry.getValue().sum(entry.getKey()).calls() == 0) {
        all.remove();
      }
    }
  }

  /** The share of active keys that are newly refused; 0 if there are fewer than 10 keys. */
  double newlyRefusedShare() {
    if (keys.size() < RuleEvidence.STEP_KEYS) {
      return 0;
    }
    long refused = 0;
    for (Map.Entry<Long, KeySlots> entry : keys.entrySet()) {
      refused += entry.getValue().sum(entry.getKey()).isNewlyRefused() ? 1 : 0;
    }
    return (double) refused / keys.size();
  }

  /** The window as it is sent. */
  public RuleEvidence evidence(boolean warming, int changedRules) {
    long lowest = RuleEvidence.ALL_KEYS;
    for (long it : below) {
      lowest = Math.min(lowest, it);
    }
    List<KeyCounts> counts = new ArrayList<>();
    if (!warming) {
      new TreeMap<>(keys).forEach((hash, slots) -> counts.add(slots.sum(hash)));
    }
    return new RuleEvidence(step, warming, changedRules, lowest, List.copyOf(stepKeys), counts);
  }
}
