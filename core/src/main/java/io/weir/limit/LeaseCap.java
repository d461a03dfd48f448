package io.weir.limit;

import io.weir.ExactNumbers;
import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import java.math.BigInteger;

/**
 * How much of one bucket may be out on lease at once: the error that a rule accepts, in tokens.
 *
 * <p>A token bucket lends accuracy × (burst + what comes back in a minute), but never more than
 * half its burst; windows and quotas lend accuracy × their number; none lends where that is less
 * than two. Leaky buckets, logs and concurrency lend nothing: their order in time is what they are
 * for.
 */
public final class LeaseCap {
  private static final BigInteger MINUTE_MICROS = BigInteger.valueOf(60_000_000);
  private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

  /** More than any demand, and few enough bits to share a word with a counter. */
  private static final long MAX_CAP = 1L << 39;

  /**
   * Three quarters of less are nothing (see {@link LeaseLedger}), and would be asked for in vain.
   */
  private static final long MIN_CAP = 2;

  private LeaseCap() {}

  /**
   * The most that may be out; 0 where nothing is lent.
   *
   * @param millionths the accuracy
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
    BigInteger period = BigInteger.valueOf(ExactNumbers.micros(bucket.period()));
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
