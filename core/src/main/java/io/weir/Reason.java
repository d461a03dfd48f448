package io.weir;

import java.util.Locale;

/** The reason for a decision. */
public enum Reason {
  /** Every limit admitted the call, or no rule applied. */
  OK,
  /** A limit is exhausted. */
  LIMITED,
  /** The store is unavailable and the rule fails closed, or this process is overloaded. */
  UNAVAILABLE,
  /** A bypass token admitted the call. */
  BYPASSED,
  /** A rule refuses this call regardless of its limits. */
  BLOCKED;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in responses, such as {@code limited}. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}
