package io.weir.near.deny;

import io.weir.Limit;
import io.weir.base.Micros;
import io.weir.store.Pool;

/**
 * The minimum time between requests to an exhausted bucket, so that the next request finds enough
 * tokens to be worth it: 50 ms, but never longer than the bucket takes to refill what it may lend.
 * A longer pause would let a small bucket overflow, and its clients would lose tokens.
 */
public final class RetryPacing {
  private static final long MAX_MICROS = 50_000;

  private RetryPacing() {}

  /**
   * The pause in µs; 0 for pools that do not lend and for algorithms that do not refill gradually.
   */
  public static long of(Pool pool) {
    Limit limit = pool.meter().limit();
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, SLIDING_WINDOW -> {
        double all = Micros.of(limit.window());
        yield (long) Math.min(MAX_MICROS, all * pool.leaseCap() / Math.max(1, limit.capacity()));
      }
      case LEAKY_BUCKET, FIXED_WINDOW, SLIDING_LOG, QUOTA, CONCURRENCY -> 0;
    };
  }

  /** Varies a pause by up to 20%, so that instances do not send at the same times. */
  public static long jittered(long pace, long now) {
    long mixed = (now * 0x9e3779b97f4a7c15L) >>> 32;
    return pace - pace / 5 + (2 * pace / 5 * mixed >>> 32);
  }
}
