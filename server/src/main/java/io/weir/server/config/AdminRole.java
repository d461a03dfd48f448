package io.weir.server.config;

import java.util.Locale;

/** What the bearer of a token may do on the admin port; each may do what those before it may. */
public enum AdminRole {
  /** Looks, but does not see whom a key belongs to. */
  VIEWER,
  /** Sees keys, and helps those that are stuck. */
  OPERATOR,
  /** Changes what holds for everybody. */
  ADMIN;

  /**
   * The role of this name.
   *
   * @throws IllegalArgumentException with those there are
   */
  static AdminRole named(String name) {
    for (AdminRole role : values()) {
      if (role.id().equals(name)) {
        return role;
      }
    }
    throw new IllegalArgumentException("'" + name + "' is not viewer, operator or admin");
  }

  String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether this role may do what the other may. */
  public boolean covers(AdminRole other) {
    return compareTo(other) >= 0;
  }
}
