package io.weir;

import java.util.List;

/**
 * The decision that a call would get, and why. Nothing is taken.
 *
 * @param normalPath the normalized path, which rules match
 * @param rules one entry per rule: whether it applies, and why
 * @param limits the limits that would be checked, with their arithmetic
 * @param decision the decision that the call would get
 */
public record Explanation(
    String normalPath, List<RuleCheck> rules, List<LimitCheck> limits, Decision decision) {

  /**
   * One rule, and whether it applies to the call.
   *
   * @param applies whether the call draws from the rule's limits
   * @param why the reason, such as the pattern that matched
   * @param key the key that the call is counted under; empty if the rule does not apply
   */
  public record RuleCheck(String rule, boolean applies, String why, String key) {}

  /**
   * One limit and its arithmetic.
   *
   * @param key the key that the call is counted under
   * @param amount the amount that the call would take
   */
  public record LimitCheck(LimitStatus status, String key, long amount, String arithmetic) {}
}
