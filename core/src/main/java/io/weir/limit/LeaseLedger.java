package io.weir.limit;

/**
 * The ledger of tokens leased from one bucket, in epochs of 5 s.
 *
 * <p>A lease is a number of tokens granted to an instance: they have been taken from the bucket,
 * and the instance hands them out without a request to the store. The store must guarantee that no
 * more than {@code most} leased tokens can still be handed out, and cannot ask instances, which may
 * have died. So a lease expires by itself, {@link #LIFE} after its request was <em>sent</em>, and
 * the ledger counts it for longer than that:
 *
 * <pre>
 *   epoch     k            k+1           k+2
 *        ├─────────────┼─────────────┼─────────────┤
 *   granted   ▲ · · · · · · · · · ·  │ dropped here: at least one whole epoch later
 *             └─ expires 5 s later, at the latest ──┘
 *   counted as  current     previous      —
 * </pre>
 *
 * <p>The state is three whole numbers beside the bucket's own: {@code epoch}, {@code current} and
 * {@code previous}. A request that concerns leases goes through these steps, in this order, at one
 * moment of the store's clock. {@code outstanding} is {@code current + previous}:
 *
 * <ol>
 *   <li>{@link #open}, after the bucket itself was opened. Let {@code e = floor(time / 5,000,000)}.
 *       If e = epoch + 1: previous = current, current = 0. If e &gt; epoch + 1: both 0. If e &lt;
 *       epoch (the clock has stepped back): current = current + previous, previous = 0, so that
 *       nothing is dropped early. A new <em>era</em> of 2<sup>32</sup> epochs begins then, in which
 *       e is counted from now on: an epoch that comes again is a different one, and reports on the
 *       first do not concern it. Then epoch = e. If nothing is outstanding there is no ledger, and
 *       eras start over. Windows and quotas: if the window that ended at the stored end is over and
 *       a later one has begun, both 0, as leases expire with their window.
 *   <li>{@link #report}: the instance reports {@code held}, the tokens the ledger counts for it
 *       since its last request in {@code heldEpoch}, and {@code unused}, those it has not handed
 *       out. If heldEpoch = epoch: current = max(0, current − held). If heldEpoch = epoch − 1:
 *       previous = max(0, previous − held). Otherwise the lease was dropped, and nothing is
 *       subtracted. Then {@code kept = min(unused, max(0, most − outstanding))} and current =
 *       current + kept: kept tokens are counted anew. If the window or quota period is not the one
 *       leased from: kept = 0, and nothing is subtracted.
 *   <li>The bucket takes back the tokens that the instance returns, with a receipt of the window
 *       they were leased from: windows and quotas only if that window is current (or, for sliding
 *       windows, the previous one). Then the bucket is charged the instance's debt: a window at
 *       most its {@code remaining}, a bucket all of it until its deficit is twice the burst.
 *   <li>The draw itself, as without leases.
 *   <li>{@link #lend}, unless the call was refused: the grant is {@code g = min(requested, free −
 *       ceil(free / 4), level)} with {@code free = max(0, most − outstanding)} and level the
 *       bucket's {@code remaining}. The bucket is charged g, and current = current + g.
 *   <li>The response has kept, g, epoch, the end of the window (0 for buckets) and the lifetime:
 *       {@link #LIFE}, for windows and quotas at most the time left in the window.
 * </ol>
 *
 * <p>To end a lease is the first three steps with unused = 0 and no debt, under the numbers that
 * the state was last written with. If the bucket does not exist there is nothing to end.
 *
 * <p>Every number is whole and below 2<sup>53</sup>; {@code free − ceil(free / 4)} is {@code
 * floor(3 free / 4)} without the product. A key with outstanding leases lives for at least two
 * epochs.
 *
 * <p>Why the bound holds: every token that an instance can hand out at a moment was granted or kept
 * by a request sent less than 5 s before. So it is counted in {@code current} or {@code previous},
 * and no grant or keep raises {@code outstanding} above {@code most}. Tokens handed out are
 * subtracted only after the fact, and at most once.
 */
public final class LeaseLedger {
  /** The length of an epoch in µs. */
  public static final long EPOCH = 5_000_000;

  /** Added to the epoch whenever the clock has stepped back. */
  static final long ERA = 1L << 32;

  /** The lifetime of a lease, in µs from the moment its request was sent. */
  public static final long LIFE = 5_000_000;

  /** The epoch that {@link #current} counts. */
  public long epoch;

  /** Tokens granted or kept in this epoch and not reported as handed out since. */
  public long current;

  /** The same for the epoch before. */
  public long previous;

  /**
   * Brings the counts to the present.
   *
   * @param micros the time on the clock that decides about the bucket
   * @param newWindow whether the window that was leased from is over
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

  /** All leased tokens that may still be handed out. */
  public long outstanding() {
    return current + previous;
  }

  /**
   * Applies the report of one instance.
   *
   * @param held the tokens counted for it since its last request, which was in {@code heldEpoch}
   * @param unused the tokens it has not handed out
   * @return how many of the unused tokens it may keep
   */
  public long report(long held, long heldEpoch, long unused, long most) {
    if (heldEpoch == epoch) {
      current -= Math.min(current, held);
    } else if (heldEpoch == epoch - 1) {
      previous -= Math.min(previous, held);
    }
    long kept = Math.min(unused, free(most));
    current += kept;
    return kept;
  }

  /**
   * Grants at most three quarters of the tokens that may still be leased. The caller charges the
   * bucket with the grant.
   */
  public long lend(long requested, long most, long level) {
    long free = free(most);
    long granted = Math.max(0, Math.min(Math.min(requested, free - Meter.ceilDiv(free, 4)), level));
    current += granted;
    return granted;
  }

  private long free(long most) {
    return Math.max(0, most - outstanding());
  }
}
