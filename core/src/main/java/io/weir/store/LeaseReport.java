package io.weir.store;

/**
 * Sent by an instance with a draw: the state of its lease on the bucket, the tokens it requests,
 * and its debt.
 *
 * <p>Sent at most once: if the answer is lost, the report is neither repeated nor revoked.
 *
 * @param cap the most tokens of this bucket that may be out on lease at once
 * @param held the lease by the last answer
 * @param unused the tokens of it that are left
 * @param returned unused tokens that go back to the bucket
 * @param requested additional tokens wanted
 * @param debt the amount admitted while the store could not answer. Charged before the draw: to
 *     windows as far as they have something left, to buckets down to one burst below empty
 */
public record LeaseReport(
    long cap, LeaseGrant held, long unused, long returned, long requested, long debt) {
  /** An empty report. */
  public static final LeaseReport NONE = new LeaseReport(0, LeaseGrant.NONE, 0, 0, 0, 0);

  /** The same report with a debt. */
  public LeaseReport withDebt(long debt) {
    return new LeaseReport(cap, held, unused, returned, requested, debt);
  }
}
