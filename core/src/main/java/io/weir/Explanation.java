package io.weir;

import io.weir.rule.RuleIndex;
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
    String normalPath, List<RuleIndex.Note> rules, List<Asked> limits, Decision decision) {

  /**
   * One limit and its arithmetic.
   *
   * @param key whom the call counts for
   * @param amount what it would take
   */
  public record Asked(Standing standing, String key, long amount, String arithmetic) {}
}
