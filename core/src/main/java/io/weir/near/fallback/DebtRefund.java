package io.weir.near.fallback;

import io.weir.ExactNumbers;
import io.weir.Key;
import io.weir.limit.LimitState;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;

/**
 * What the store was told of and gets back: a reservation that was taken here came to less, after
 * its debt had been charged there.
 *
 * <p>It goes back as unused tokens of a lease do: to a bucket as it is, to a window or quota only
 * while it is the one that was charged. A sliding window was charged as if evenly over the last
 * window, so it gets back from both of its counts: {@code x} from the one before, which weigh less
 * and less, and the rest of {@code x} from the running one. Leaky buckets and logs take back
 * nothing that was not the last, or is no entry of its own.
 *
 * @param window the end of the window that was charged; 0 for buckets
 */
record DebtRefund(Pool pool, Key key, long window, long amount) {
  private static final long[] NONE = {};

  /** Memory keeps the ends of windows in whole ms, rounded up. */
  private static final long MILLI = 1000;

  /**
   * Of a part, as much as this.
   *
   * @param end of the window, as memory knows it
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
   * The ends of the windows that a part may have been charged to, as memory knows them, earlier
   * ones first.
   */
  static long[] windows(ReservedPart part, long wallNow) {
    long end = part.receipt().time();
    return switch (part.pool().meter().limit().algorithm()) {
      case TOKEN_BUCKET -> new long[] {0};
      case FIXED_WINDOW, QUOTA -> new long[] {end};
      case SLIDING_WINDOW -> {
        long window = ExactNumbers.micros(part.pool().meter().limit().window());
        long now = wallNow < end ? end : end + window;
        yield new long[] {now - window, now};
      }
      case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> NONE;
    };
  }

  /** How the store is told. */
  LeaseReport report() {
    return new LeaseReport(0, new LeaseGrant(0, 0, -1, window, 0), 0, amount, 0, 0);
  }
}
