package io.weir.near.fallback;

import io.weir.Key;
import io.weir.base.Micros;
import io.weir.limit.LimitState;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;

/**
 * A refund of a debt that was already charged: a reservation made locally was settled at less than
 * reserved, after its debt had been charged in the store.
 *
 * <p>It is returned like unused tokens of a lease: to a bucket as it is, to a window or quota only
 * while the charged one lasts. A sliding window was charged as if evenly over the last window, so
 * both of its counts get a refund: {@code x} from the previous count, which weighs less and less,
 * and the rest of {@code x} from the current one. Leaky buckets and logs get no refund: a leaky
 * bucket could only take back its last entry, and a debt is no log entry of its own.
 *
 * @param window end of the window that was charged; 0 for buckets
 */
record DebtRefund(Pool pool, Key key, long window, long amount) {
  private static final long[] NONE = {};

  /** The memory store keeps ends of windows in whole ms, rounded up. */
  private static final long MILLI = 1000;

  /**
   * The refund of an amount of a part.
   *
   * @param end end of the window as kept in memory
   */
  static DebtRefund of(ReservedPart part, InstanceShare share, long end, long amount) {
    long window = 0;
    if (end > 0) {
      LimitState exact = new LimitState();
      long phase = part.key().fixedHash(part.pool().rule());
      share.pool().meter().open(exact, end - MILLI, phase);
      window = exact.time;
    }
    return new DebtRefund(part.pool(), part.key(), window, amount);
  }

  /**
   * The ends, as kept in memory, of the windows that a part may have been charged to; earlier ones
   * first.
   */
  static long[] windows(ReservedPart part, long wallNow) {
    long end = part.receipt().time();
    return switch (part.pool().meter().limit().algorithm()) {
      case TOKEN_BUCKET -> new long[] {0};
      case FIXED_WINDOW, QUOTA -> new long[] {end};
      case SLIDING_WINDOW -> {
        long window = Micros.of(part.pool().meter().limit().window());
        long now = wallNow < end ? end : end + window;
        yield new long[] {now - window, now};
      }
      case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> NONE;
    };
  }

  /** The report that returns the amount to the store. */
  LeaseReport report() {
    return new LeaseReport(0, new LeaseGrant(0, 0, -1, window, 0), 0, amount, 0, 0);
  }
}
