package io.weir.limit;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import java.math.BigInteger;

/**
 * The maximum number of tokens of one bucket that may be leased at once: the error that a rule
 * accepts.
 *
 * <p>For a token bucket it is accuracy × (burst + refill of one minute), but at most half the
 * burst; for windows and quotas, accuracy × count. Below two tokens nothing is leased. Leaky
 * buckets, logs and concurrency limits lease nothing, as they depend on the exact order of calls.
 */
public final class LeaseCap {
  private static final BigInteger MINUTE_MICROS = BigInteger.valueOf(60_000_000);
  private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

  /** More than any demand, and small enough to share a 64-bit word with a counter. */
  private static final long MAX_CAP = 1L << 39;

  /**
   * The smallest useful cap: three quarters of 1, rounded down, is 0 (see {@link LeaseLedger}), so
   * every request for a lease would be in vain.
   */
  private static final long MIN_CAP = 2;

  private LeaseCap() {}

  /**
   * The maximum number of leased tokens; 0 if nothing is leased.
   *
   * @param millionths the accuracy of the rule, in millionths
   */
  public static long of(Limit limit, int millionths) {
    long bound =
        switch (limit.algorithm()) {
          case TOKEN_BUCKET -> ofBucket((TokenBucket) limit, millionths);
          case FIXED_WINDOW -> share(((FixedWindow) limit).count(), millionths);
          case SLIDING_WINDOW -> share(((SlidingWindow) limit).count(), millionths);
          case QUOTA -> share(((Quota) limit).count(), millionths);
          case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> 0;
        };
    return bound < MIN_CAP ? 0 : Math.min(bound, MAX_CAP);
  }

  private static long ofBucket(TokenBucket bucket, int millionths) {
    BigInteger period = BigInteger.valueOf(Micros.of(bucket.period()));
    BigInteger inAMinute =
        BigInteger.valueOf(bucket.capacity())
            .multiply(period)
            .add(BigInteger.valueOf(bucket.rate()).multiply(MINUTE_MICROS));
    BigInteger accepted =
        inAMinute.multiply(BigInteger.valueOf(millionths)).divide(period.multiply(MILLION));
    return accepted.min(BigInteger.valueOf(bucket.capacity() / 2)).longValueExact();
  }

  private static long share(long count, int millionths) {
    return BigInteger.valueOf(count)
        .multiply(BigInteger.valueOf(millionths))
        .divide(MILLION)
        .longValueExact();
  }
}
