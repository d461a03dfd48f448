package io.weir.redis.call;

/** What a call to a node is for. */
public enum CallPurpose {
  /** Somebody waits for what comes of it. */
  USE,

  /**
   * It makes the way warm, and may be late because the way is cold. So it says nothing of its node,
   * is in no metrics, and is no probe: it goes wherever there is a connection.
   */
  WARM_UP
}
