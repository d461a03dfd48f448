package io.weir;

import java.util.Locale;

/** Whether a rule is enforced, only counts the calls it would refuse (shadow), or is off. */
public enum Mode {
  ENFORCE,
  SHADOW,
  OFF;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in rule documents. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}
