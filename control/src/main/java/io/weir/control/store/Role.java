package io.weir.control.store;

/** What a token may do. */
public enum Role {
  VIEWER,
  OPERATOR,
  ADMIN
}
