package io.weir.control.whatif;

import io.weir.control.whatif.WhatIf.Change;
import io.weir.control.whatif.WhatIf.Effect;
import java.util.HashMap;
import java.util.Map;

/** Counts calls and refusals by both sides, per key. */
final class EffectTally {
  /** More refusals count as new if they are over this share of the key's calls: one in ten. */
  private static final int ONE_IN = 10;

  private static final class Counts {
    long calls;
    long before;
    long after;
  }

  private final Map<Object, Counts> byKey = new HashMap<>();

  void add(Object key, boolean refusedBefore, boolean refusedAfter) {
    Counts counts = byKey.computeIfAbsent(key, it -> new Counts());
    counts.calls++;
    counts.before += refusedBefore ? 1 : 0;
    counts.after += refusedAfter ? 1 : 0;
  }

  int keys() {
    return byKey.size();
  }

  Effect effect() {
    long calls = 0;
    long refusedCalls = 0;
    long refusedKeys = 0;
    long admittedCalls = 0;
    long admittedKeys = 0;
    for (Counts it : byKey.values()) {
      calls += it.calls;
      refusedCalls += Math.max(0, it.after - it.before);
      admittedCalls += Math.max(0, it.before - it.after);
      refusedKeys += isNew(it.after, it.before, it.calls) ? 1 : 0;
      admittedKeys += isNew(it.before, it.after, it.calls) ? 1 : 0;
    }
    return new Effect(
        calls,
        byKey.size(),
        new Change(refusedCalls, refusedKeys),
        new Change(admittedCalls, admittedKeys));
  }

  private static boolean isNew(long more, long fewer, long calls) {
    return more > 0 && (fewer == 0 || (more - fewer) * ONE_IN > calls);
  }
}
