package io.weir.rule;

/** How a rule treats a call that lacks a part of its key. */
public enum OnMissing {
  /** Count it under the caller's address; without one, as {@link #SHARED}. */
  IP,
  /** Count all such calls together. */
  SHARED,
  /** The rule does not apply. */
  SKIP,
  /** Refuse the call. */
  DENY
}
