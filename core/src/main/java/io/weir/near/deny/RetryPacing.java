package io.weir.near.deny;

import io.weir.ExactNumbers;
import io.weir.Limit;
import io.weir.store.Pool;

/**
 * How long to leave an exhausted bucket alone, so that the next question finds something worth the
 * asking: 50 ms, but never longer than the bucket takes to gather what it may lend. A longer pause
 * would let a small bucket overflow, and cost its users tokens.
 */
public final class RetryPacing {
  private static final long MAX_MICROS = 50_000;

  private RetryPacing() {}

  /** In µs; 0 for pools that lend nothing, and for windows that give everything at once. */
  public static long of(Pool pool) {
    Limit limit = pool.meter().limit();
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, SLIDING_WINDOW -> {
        double all = ExactNumbers.micros(limit.window());
        yield (long) Math.min(MAX_MICROS, all * pool.leaseCap() / Math.max(1, limit.capacity()));
      }
      case LEAKY_BUCKET, FIXED_WINDOW, SLIDING_LOG, QUOTA, CONCURRENCY -> 0;
    };
  }

  /** Up to a fifth more or less, so that instances do not keep to the same turns. */
  public static long jittered(long pace, long now) {
    long mixed = (now * 0x9e3779b97f4a7c15L) >>> 32;
    return pace - pace / 5 + (2 * pace / 5 * mixed >>> 32);
  }
}
