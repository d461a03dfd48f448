package io.weir.control.rollout.judge;

import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.rollout.evidence.RuleTotals;
import java.util.Comparator;
import java.util.List;

/**
 * What one changed rule does, against what is expected of it.
 *
 * @param expectedKeys so many of the active keys are expected to be refused newly
 * @param lowerBound the smallest plausible share of newly refused keys
 * @param threshold the rollout goes back if the lower bound exceeds this
 * @param topKeys the newly refused keys with the most newly refused calls
 */
public record RuleFinding(
    String rule,
    long activeKeys,
    long newlyRefusedKeys,
    long keysRefusedByOld,
    long expectedKeys,
    long calls,
    long newlyRefusedCalls,
    double lowerBound,
    double threshold,
    List<KeyCounts> topKeys) {
  private static final int TOP_KEYS = 10;

  static RuleFinding of(RuleTotals totals, Expectation expectation) {
    long active = totals.keys().size();
    long refused = totals.newlyRefusedKeys();
    return new RuleFinding(
        totals.rule(),
        active,
        refused,
        totals.keysRefusedByOld(),
        Math.round(expectation.of(totals.rule()) * active),
        totals.calls(),
        totals.newlyRefusedCalls(),
        WilsonBound.lower(refused, active),
        expectation.threshold(totals.rule()),
        totals.keys().stream()
            .filter(KeyCounts::isNewlyRefused)
            .sorted(
                Comparator.comparingLong(KeyCounts::newlyRefusedCalls)
                    .reversed()
                    .thenComparingLong(KeyCounts::hash))
            .limit(TOP_KEYS)
            .toList());
  }

  /** Fewer than 10 keys are neither success nor failure. */
  boolean isHarm() {
    return activeKeys >= RuleEvidence.STEP_KEYS && lowerBound > threshold;
  }

  /** Above 1 means harm, if there are enough keys. */
  double severity() {
    return lowerBound / threshold;
  }

  /** Such as {@code you expected 47 keys; it refused 912}. */
  public String summary() {
    return "you expected " + expectedKeys + " keys; it refused " + newlyRefusedKeys;
  }
}
