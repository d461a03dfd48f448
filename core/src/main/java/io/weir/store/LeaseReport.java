package io.weir.store;

/**
 * What an instance tells a bucket's store beside its draw: about the lease it has, the one it wants
 * and what it owes.
 *
 * <p>Told at most once: whoever does not hear the answer neither repeats nor takes back what was
 * said.
 *
 * @param most what may be out on lease from this bucket at once
 * @param held the lease as the last answer said
 * @param kept what of it is still in hand
 * @param back what the bucket gets back, having never been used
 * @param asked what it would like to be lent in addition
 * @param owed what was let through while the store could not answer: charged before the draw, to
 *     windows as far as there is anything left, to buckets down to one burst below empty
 */
public record LeaseReport(
    long cap, LeaseGrant held, long unused, long returned, long requested, long debt) {
  /** Nothing to tell. */
  public static final LeaseReport NONE = new LeaseReport(0, LeaseGrant.NONE, 0, 0, 0, 0);

  /** The same, with something owed. */
  public LeaseReport withDebt(long owed) {
    return new LeaseReport(cap, held, unused, returned, requested, owed);
  }
}
