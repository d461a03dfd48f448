package io.weir;

/** How a rule decides while the store is unavailable. */
public enum OnFail {
  /** By an in-memory limit: this instance's share of the rule's limit. */
  LOCAL,
  /** Allow. */
  OPEN,
  /** Refuse as unavailable. */
  CLOSED
}
