package io.weir.control.rollout.judge;

/** Why a rollout does not go on by itself. */
public enum HoldReason {
  /** No key of a changed rule called in the whole step. */
  NO_TRAFFIC("no traffic"),
  /** Fewer than 10 keys of a changed rule called in the whole step. */
  FEW_KEYS("few keys"),
  /** The old version refused over 20% of the active keys of a changed rule in the last minute. */
  BASELINE_ALREADY_BAD("baseline already bad"),
  /** An instance has sent no evidence yet. */
  WAITING("waiting");

  private final String text;

  HoldReason(String text) {
    this.text = text;
  }

  /** As operators see it. */
  public String text() {
    return text;
  }
}
