package io.weir;

/** The result of settling, releasing or renewing a reservation. */
public enum SettlementResult {
  /** Settled, released or renewed. */
  DONE,
  /** Nothing changed: it had been done before, the permits had expired, or it came too late. */
  ALREADY,
  /** The token is not a reservation, or was not signed with this secret. */
  UNKNOWN,
  /** The store that holds the reservation, or part of it, is unavailable; retry. */
  UNAVAILABLE;

  /** The result for a reservation from the results for two of its parts. */
  public SettlementResult and(SettlementResult other) {
    if (this == UNAVAILABLE || other == UNAVAILABLE) {
      return UNAVAILABLE;
    }
    return this == DONE || other == DONE ? DONE : this;
  }
}
