package io.weir.control.change;

import java.util.Optional;
import java.util.stream.Stream;

/** What a change touched, so that a reader of deltas queries only those tables. */
public enum ChangeKind {
  RULES,
  TENANTS,
  OVERRIDES,
  BLOCKS,
  KILLSWITCH,
  TOKENS,
  /** Only the audit log. */
  LOG;

  /** The kind with this stored name; empty for one of a newer release. */
  public static Optional<ChangeKind> find(String name) {
    return Stream.of(values()).filter(it -> it.name().equalsIgnoreCase(name)).findFirst();
  }
}
