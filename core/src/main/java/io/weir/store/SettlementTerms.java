package io.weir.store;

import java.time.Duration;

/**
 * For how long a reservation can be settled, and for how long it is known then that it was.
 *
 * @param within how long after it was made (see the stamps of its parts) a reservation is settled
 * @param marked how long after that whoever settles it again is told so; who does so later, and yet
 *     within its time, settles it twice
 */
public record SettlementTerms(Duration within, Duration marked) {
  /** Nobody settles twice, whoever comes and when. */
  public static SettlementTerms of(Duration within) {
    return new SettlementTerms(within, within);
  }
}
