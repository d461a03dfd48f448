package io.weir.limit;

import io.weir.Algorithm;
import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import java.math.BigInteger;

/**
 * A limit divided into parts that add up to it exactly.
 *
 * <p>Rates divide exactly: 100/s in 8 parts is 100 per 8 s each. Counts are distributed: of 10 in 4
 * parts, the first two have 3 and the others 2. A part is never empty, unless the limit is 0.
 *
 * @param larger the limit of the first {@code more} parts
 * @param smaller the limit of the other parts
 */
public record LimitDivision(Limit whole, int parts, int more, Limit larger, Limit smaller) {
  /**
   * Whether limits of this algorithm can be divided: whether the parts together guarantee the
   * whole.
   */
  public static boolean divides(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, QUOTA -> true;
      case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> false;
    };
  }

  /**
   * Divides a limit.
   *
   * @throws IllegalArgumentException with the reason, if it cannot be divided
   */
  public static LimitDivision of(Limit whole, int parts) {
    long capacity = whole.capacity();
    if (!divides(whole.algorithm())) {
      throw ExactNumbers.refused("shards cannot split a " + whole.algorithm() + " limit");
    }
    if (capacity == 0) {
      return new LimitDivision(whole, parts, 0, whole, whole);
    }
    if (capacity < parts) {
      throw ExactNumbers.refused(
          "shards " + parts + " is more than the " + capacity + " of " + whole);
    }
    try {
      Limit smaller = part(whole, parts, capacity / parts);
      int more = (int) (capacity % parts);
      Limit larger = more == 0 ? smaller : part(whole, parts, capacity / parts + 1);
      return new LimitDivision(whole, parts, more, larger, smaller);
    } catch (IllegalArgumentException e) {
      throw ExactNumbers.refused(
          "shards " + parts + " cannot split " + whole + " exactly: " + e.getMessage());
    }
  }

  private static Limit part(Limit whole, int parts, long capacity) {
    if (whole instanceof TokenBucket bucket) {
      ExactNumbers.Rate rate = ExactNumbers.scaledRate(bucket.rate(), bucket.period(), 1, parts);
      TokenBucket part = new TokenBucket(rate.count(), rate.period(), capacity, bucket.name());
      if (!isPart(part, bucket, parts)) {
        throw ExactNumbers.refused("each would have a period of more than ten years");
      }
      return part;
    } else if (whole instanceof FixedWindow window) {
      return new FixedWindow(capacity, window.window(), window.aligned(), window.name());
    } else if (whole instanceof SlidingWindow window) {
      return new SlidingWindow(capacity, window.window(), window.aligned(), window.name());
    } else if (whole instanceof Quota quota) {
      return new Quota(capacity, quota.period(), quota.zone(), quota.name());
    }
    throw new AssertionError(whole);
  }

  /** Whether the rates of all parts add up exactly to that of the whole. */
  private static boolean isPart(TokenBucket part, TokenBucket whole, int parts) {
    BigInteger together =
        BigInteger.valueOf(part.rate())
            .multiply(BigInteger.valueOf(parts))
            .multiply(BigInteger.valueOf(Micros.of(whole.period())));
    BigInteger wanted =
        BigInteger.valueOf(whole.rate()).multiply(BigInteger.valueOf(Micros.of(part.period())));
    return together.equals(wanted);
  }

  /** The part with this number, counted from 0. */
  public Limit part(int number) {
    return number < more ? larger : smaller;
  }

  /** How many parts, counted from the first, could ever hold this amount. */
  public int holding(long amount) {
    if (whole.capacity() == 0 || amount > larger.capacity()) {
      return 0;
    }
    return amount <= smaller.capacity() ? parts : more;
  }
}
