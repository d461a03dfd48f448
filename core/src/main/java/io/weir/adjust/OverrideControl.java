package io.weir.adjust;

import java.time.Instant;

/** An override of one key of one rule. It notes when it was last used, at most once a second. */
public final class OverrideControl {
  private static final long NOTED_EVERY_MICROS = 1_000_000;
  private static final long NEVER = Long.MIN_VALUE;

  private final long id;
  private final String rule;
  private final OverrideEffect effect;
  private final ControlSpan span;

  /** By the severity of a signal beside it; 0 for none. */
  private final Adjustment[] adjustments;

  /** In µs. Threads may overwrite each other's, which are less than a second apart. */
  private long lastUsed = NEVER;

  OverrideControl(long id, String rule, OverrideEffect effect, ControlSpan span) {
    this.id = id;
    this.rule = rule;
    this.effect = effect;
    this.span = span;
    this.adjustments = Adjustment.of(effect);
  }

  public long id() {
    return id;
  }

  public String rule() {
    return rule;
  }

  public OverrideEffect effect() {
    return effect;
  }

  public ControlSpan span() {
    return span;
  }

  /** The adjustment together with a signal: 0 for none, else its severity, 1 or 2. */
  Adjustment adjustment(int severity) {
    return adjustments[severity];
  }

  /** All adjustments that this override can lead to. */
  public Adjustment[] adjustments() {
    return adjustments.clone();
  }

  void use(long wallMicros) {
    if (wallMicros - lastUsed >= NOTED_EVERY_MICROS || lastUsed == NEVER) {
      lastUsed = wallMicros;
    }
  }

  boolean wasUsed() {
    return lastUsed != NEVER;
  }

  Instant lastUsed() {
    return ControlSpan.moment(lastUsed);
  }

  /** Takes over the last use of the same override in an earlier table. */
  void continueFrom(OverrideControl earlier) {
    lastUsed = Math.max(lastUsed, earlier.lastUsed);
  }

  /** Whether it does the same as another one at any time. */
  boolean isSame(OverrideControl other) {
    return id == other.id
        && rule.equals(other.rule)
        && effect.equals(other.effect)
        && span.equals(other.span);
  }
}
