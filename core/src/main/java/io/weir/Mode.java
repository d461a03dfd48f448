package io.weir;

import java.util.Locale;

/** Whether a rule refuses, only counts what it would have refused, or sleeps. */
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
