package io.weir.redis.call;

/** Why a call is made to a node. */
public enum CallPurpose {
  /** A caller waits for the result. */
  USE,

  /**
   * Warms up connections and code, and may be late because they are cold. It does not count for the
   * node's health or the metrics and is no breaker probe; it is sent whenever there is a
   * connection.
   */
  WARM_UP
}
