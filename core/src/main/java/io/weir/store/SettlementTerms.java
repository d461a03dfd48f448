package io.weir.store;

import java.time.Duration;

/**
 * How long a reservation may be settled, and how long that is remembered.
 *
 * @param within a reservation older than this (see the receipts of its parts) is not settled
 * @param marked how long the settled marker lives; a second settlement after it has expired, but
 *     still within {@code within}, is applied again
 */
public record SettlementTerms(Duration within, Duration marked) {
  /** The marker lives as long as a settlement is accepted, so a second one is never applied. */
  public static SettlementTerms of(Duration within) {
    return new SettlementTerms(within, within);
  }
}
