package io.weir.control.rollout.judge;

import io.weir.control.whatif.WhatIf;
import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What replaying recorded calls predicts of the rule that a change hurts most.
 *
 * @param keys how many keys of that rule called in the recording
 * @param newlyRefusedKeys how many of them the new version refuses and the old one does not
 * @param peaks the largest share of newly refused keys that each rule has within 60 s, which is
 *     what the judge looks at
 */
public record Prediction(long keys, long newlyRefusedKeys, SortedMap<String, Double> peaks) {
  public Prediction {
    peaks = Collections.unmodifiableSortedMap(new TreeMap<>(peaks));
  }

  /** The prediction of a what-if; empty if nothing was recorded. */
  public static Optional<Prediction> of(WhatIf whatIf) {
    if (whatIf.basis().calls() == 0) {
      return Optional.empty();
    }
    WhatIf.Effect worst =
        whatIf.rules().stream()
            .map(WhatIf.Group::effect)
            .max(Comparator.comparingDouble(WhatIf.Effect::refusedKeys))
            .orElse(whatIf.total());
    return Optional.of(new Prediction(worst.keys(), worst.refused().keys(), whatIf.peaks()));
  }

  /** The share of keys that are newly refused in the whole recording; 0 if no key called. */
  public double share() {
    return keys == 0 ? 0 : (double) newlyRefusedKeys / keys;
  }

  /** The share that the judge will see at most: in the whole recording or within 60 s. */
  public double largestShare() {
    return peaks.values().stream().reduce(share(), Math::max);
  }

  /** Such as {@code 912 of 2350 keys (38.81%)}. */
  public String describe() {
    return newlyRefusedKeys + " of " + keys + " keys (" + Percentage.print(share()) + ")";
  }
}
