package io.weir;

import java.util.Locale;

/** Why a decision came out as it did. */
public enum Reason {
  /** Every limit admitted the call, or no rule applied. */
  OK,
  /** A limit is exhausted. */
  LIMITED,
  /**
   * The state behind a rule that fails closed could not be asked, or the process is at its guard.
   */
  UNAVAILABLE,
  /** A bypass token let the call through. */
  BYPASSED,
  /** A rule refuses this caller whatever the limit says. */
  BLOCKED;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in answers, such as {@code limited}. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}
