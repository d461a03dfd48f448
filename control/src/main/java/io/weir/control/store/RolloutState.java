package io.weir.control.store;

/** Where a rollout is. */
public enum RolloutState {
  RUNNING,
  HELD,
  PAUSED,
  BAKING,
  DONE,
  ROLLED_BACK,
  SUPERSEDED;

  /** Whether the rollout has ended. */
  public boolean isEnd() {
    return this == DONE || this == ROLLED_BACK || this == SUPERSEDED;
  }
}
