package io.weir.server.config;

import java.util.Locale;

/** The role of an admin token; each role includes the rights of the roles before it. */
public enum AdminRole {
  /** Reads, except for the values of keys. */
  VIEWER,
  /** Reads the values of keys too, and acts on single keys. */
  OPERATOR,
  /** Changes settings for all callers. */
  ADMIN;

  /**
   * The role of this name.
   *
   * @throws IllegalArgumentException with the list of roles
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

  /** Whether this role includes the rights of the other. */
  public boolean covers(AdminRole other) {
    return compareTo(other) >= 0;
  }
}
