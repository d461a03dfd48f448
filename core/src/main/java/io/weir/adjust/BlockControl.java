package io.weir.adjust;

/**
 * A block: calls of the key are refused.
 *
 * @param rule the rule; empty for all
 */
public record BlockControl(long id, String rule, ControlSpan span) {
  boolean isInForce(String wanted, long wallMicros) {
    return (rule.isEmpty() || rule.equals(wanted)) && span.covers(wallMicros);
  }
}
