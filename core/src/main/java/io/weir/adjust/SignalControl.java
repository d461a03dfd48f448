package io.weir.adjust;

/**
 * A signal of an outside system about a key. Of several the newest counts.
 *
 * @param id higher for a newer one
 * @param rule the rule; empty for all
 */
public record SignalControl(long id, String rule, Severity severity, ControlSpan span) {
  boolean isInForce(String wanted, long wallMicros) {
    return (rule.isEmpty() || rule.equals(wanted)) && span.covers(wallMicros);
  }

  boolean isNewerThan(SignalControl other) {
    return id > other.id;
  }
}
