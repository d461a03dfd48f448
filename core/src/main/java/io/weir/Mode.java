package io.weir;

import java.util.Locale;

/** Whether a rule is enforced, only counts the calls it would refuse (shadow), or is off. */
public enum Mode {
  ENFORCE,
  SHADOW,
  OFF,
  /**
   * Enforced, but calls over the limit pass with a mark. Only limits of a decision have this mode:
   * those of rules with {@code on_limit: mark}.
   */
  MARK;

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
