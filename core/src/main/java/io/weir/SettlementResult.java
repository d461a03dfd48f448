package io.weir;

/** What came of settling, releasing or renewing a reservation. */
public enum SettlementResult {
  /** It was done. */
  DONE,
  /** It had been done before, the permits had expired, or it came too late; nothing changed. */
  ALREADY,
  /** This is no reservation of ours. */
  UNKNOWN,
  /** The store that holds it could not be asked, or not all of it; try again. */
  UNAVAILABLE;

  /** What came of a reservation whose parts came to this and to that. */
  public SettlementResult and(SettlementResult other) {
    if (this == UNAVAILABLE || other == UNAVAILABLE) {
      return UNAVAILABLE;
    }
    return this == DONE || other == DONE ? DONE : this;
  }
}
