package io.weir.limit;

/**
 * What is out on lease from one bucket, counted by epochs of five seconds.
 *
 * <p>A lease is a number of tokens that an instance was lent: they have been taken from the bucket,
 * and the instance hands them out without asking. The bucket's owner must be sure that no more than
 * {@code most} such tokens can still be handed out, and cannot ask instances that may have died. So
 * a lease ends by itself, {@link #LIFE} after its call was <em>sent</em>, and is counted here for
 * longer than that:
 *
 * <pre>
 *   epoch     k            k+1           k+2
 *        ├─────────────┼─────────────┼─────────────┤
 *   lent here ▲ · · · · · · · · · ·  │ forgotten here: at least one whole epoch later
 *             └─ void 5 s later, at the latest here ┘
 *   counted as    now        before       —
 * </pre>
 *
 * <p>The state is three whole numbers kept next to the bucket's own: {@code epoch}, {@code now} and
 * {@code before}. A call that speaks of leases goes through these steps, in this order, at one
 * moment of the store's clock; {@code out} is {@code now + before}:
 *
 * <ol>
 *   <li>{@link #open}, after the bucket itself was opened. Let {@code e = floor(time / 5,000,000)}.
 *       If e = epoch + 1: before = now, now = 0. If e &gt; epoch + 1: both 0. If e &lt; epoch (the
 *       clock has stepped back): now = now + before, before = 0, so that nothing is forgotten
 *       early, and a new <em>era</em> of 2<sup>32</sup> epochs begins, in which e is counted from
 *       then on: an epoch that comes again is another one, and reports on the first say nothing of
 *       it. Then epoch = e. Where nothing is out there are no books, and nothing is left of eras.
 *       Windows and quotas: if the window that ended at the stored end is over and a later one has
 *       begun, both 0, as leases die with their window.
 *   <li>{@link #report}: the instance says what the books should hold for it: {@code held}, lent or
 *       kept at its last call in {@code heldEpoch}, and {@code kept}, what it still has in hand. If
 *       heldEpoch = epoch: now = max(0, now − held). If heldEpoch = epoch − 1: before = max(0,
 *       before − held). Otherwise it has been forgotten, and nothing is subtracted. Then {@code
 *       kept = min(kept, max(0, most − out))} and now = now + kept: what is kept is counted anew. A
 *       window or quota other than the one lent from: kept = 0, and nothing is subtracted.
 *   <li>The bucket takes back what the instance returns, as a give-back stamped with the window it
 *       was lent from: windows and quotas only if that window is still the one (or, sliding, the
 *       one before). Then it is charged what the instance owes: a window at most its {@code
 *       remaining}, a bucket all of it, until its deficit is twice the burst.
 *   <li>The draw itself, as ever.
 *   <li>{@link #lend}, unless the call was refused: {@code g = min(asked, free − ceil(free / 4),
 *       level)} with {@code free = max(0, most − out)} and level the bucket's {@code remaining};
 *       the bucket is drawn from by g, and now = now + g.
 *   <li>The answer says kept, g, epoch, the end of the window (0 for buckets) and the life: {@link
 *       #LIFE}, for windows and quotas at most the time left in the window.
 * </ol>
 *
 * <p>To end a lease is the first three steps with kept = 0 and nothing owed, under the numbers that
 * the state was last written with; a bucket that is not there has nothing to end.
 *
 * <p>Every number is whole and below 2<sup>53</sup>; {@code free − ceil(free / 4)} is {@code
 * floor(3 free / 4)} without the product. A key with anything out lives for at least two epochs.
 *
 * <p>Why the bound holds: whatever an instance can hand out at a moment was lent or kept in a call
 * sent less than five seconds before, so it is in {@code now} or {@code before}, and {@code out}
 * never exceeds {@code most} by lending or keeping. What was handed out is subtracted only after
 * the fact, and at most once.
 */
public final class LeaseLedger {
  /** The length of an epoch in µs. */
  public static final long EPOCH = 5_000_000;

  /** What is added to epochs whenever the clock has stepped back. */
  static final long ERA = 1L << 32;

  /** How long a lease may be handed out, in µs from the moment its call was sent. */
  public static final long LIFE = 5_000_000;

  /** The epoch that {@link #current} is about. */
  public long epoch;

  /** What was lent or kept in this epoch and not reported as handed out since. */
  public long current;

  /** The same for the epoch before. */
  public long previous;

  /**
   * Brings the counts to the present.
   *
   * @param micros the time on the clock that decides about the bucket
   * @param newWindow whether the window that was lent from is over
   */
  public void open(long micros, boolean newWindow) {
    long epochNow = Math.floorDiv(micros, EPOCH);
    if (newWindow || outstanding() == 0) {
      current = 0;
      previous = 0;
      epoch = epochNow;
      return;
    }
    epochNow += epoch - epoch % ERA;
    if (epochNow > epoch + 1) {
      current = 0;
      previous = 0;
    } else if (epochNow == epoch + 1) {
      previous = current;
      current = 0;
    } else if (epochNow < epoch) {
      current += previous;
      previous = 0;
      epochNow += ERA;
    }
    epoch = epochNow;
  }

  /** All that may still be handed out. */
  public long outstanding() {
    return current + previous;
  }

  /**
   * Puts the books right for one instance.
   *
   * @param held what they hold for it since its last call, which was in {@code heldEpoch}
   * @param kept what it still has in hand
   * @return what of that it may keep
   */
  public long report(long held, long heldEpoch, long kept, long most) {
    if (heldEpoch == epoch) {
      current -= Math.min(current, held);
    } else if (heldEpoch == epoch - 1) {
      previous -= Math.min(previous, held);
    }
    long keeps = Math.min(kept, free(most));
    current += keeps;
    return keeps;
  }

  /** Lends up to three quarters of what may still go out; the bucket is then drawn from by it. */
  public long lend(long asked, long most, long level) {
    long free = free(most);
    long lent = Math.max(0, Math.min(Math.min(asked, free - Meter.ceilDiv(free, 4)), level));
    current += lent;
    return lent;
  }

  private long free(long most) {
    return Math.max(0, most - outstanding());
  }
}
