package io.weir.control.change;

/** What a change touched, so that a reader of deltas queries only those tables. */
public enum ChangeKind {
  RULES,
  TENANTS,
  OVERRIDES,
  BLOCKS,
  KILLSWITCH,
  TOKENS,
  /** Only the audit log. */
  LOG
}
