package io.weir.adjust;

import io.weir.Ratio;

/** The severity of a signal about a key. */
public enum Severity {
  /** Severity 1: the limits times 0.5. */
  HALF(Ratio.of(1, 2)),
  /** Severity 2: the limits times 0.1. */
  TENTH(Ratio.of(1, 10)),
  /** Severity 3: the key is refused. */
  REFUSE(Ratio.of(0, 1));

  private final Ratio factor;

  Severity(Ratio factor) {
    this.factor = factor;
  }

  /** The factor for limits; 0 for {@link #REFUSE}. */
  Ratio factor() {
    return factor;
  }

  /** The number of this severity, from 1 to 3. */
  public int number() {
    return ordinal() + 1;
  }

  /** Such as {@code severity 1, limits x0.5}. */
  @Override
  public String toString() {
    return "severity " + number() + (this == REFUSE ? ", blocks" : ", limits x" + factor);
  }
}
