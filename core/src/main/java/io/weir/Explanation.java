package io.weir;

import java.util.List;

/**
 * How a call would be decided, and why, with nothing taken.
 *
 * @param normalPath the path as rules see it
 * @param rules for every rule, whether it applies and why
 * @param limits the limits that would be asked, with their arithmetic
 * @param decision what would be decided
 */
public record Explanation(
    String normalPath, List<RuleCheck> rules, List<LimitCheck> limits, Decision decision) {

  /**
   * One rule, and whether it applies to the call.
   *
   * @param applies whether the call draws from the rule's limits
   * @param why what in the call and the rule led to that
   * @param key the key that the call counts under; empty if the rule does not apply
   */
  public record RuleCheck(String rule, boolean applies, String why, String key) {}

  /**
   * One limit and its arithmetic.
   *
   * @param key whom the call counts for
   * @param amount what it would take
   */
  public record LimitCheck(LimitStatus status, String key, long amount, String arithmetic) {}
}
