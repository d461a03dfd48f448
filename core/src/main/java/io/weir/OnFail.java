package io.weir;

/** What a rule says while the store cannot answer for a key. */
public enum OnFail {
  /** An in-memory limit with this instance's share. */
  LOCAL,
  /** Allow. */
  OPEN,
  /** Refuse as unavailable. */
  CLOSED
}
