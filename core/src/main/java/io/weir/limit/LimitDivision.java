package io.weir.limit;

import io.weir.Algorithm;
import io.weir.ExactNumbers;
import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.Ratio;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import java.math.BigInteger;

/**
 * A limit divided into parts that add up to it, to the last token.
 *
 * <p>Rates divide exactly: 100/s over 8 is 100 per 8 s each. Whole numbers do where they can; of 10
 * over 4 the first two parts hold 3 and the others 2. A part is never empty, unless the limit is 0.
 *
 * @param larger what the first {@code more} parts are
 * @param smaller what the others are
 */
public record LimitDivision(Limit whole, int parts, int more, Limit larger, Limit smaller) {
  /** Whether limits of this algorithm can be divided: those whose parts promise what they do. */
  public static boolean divides(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, QUOTA -> true;
      case LEAKY_BUCKET, SLIDING_LOG, CONCURRENCY -> false;
    };
  }

  /**
   * Divides a limit.
   *
   * @throws IllegalArgumentException if it cannot be, with the reason
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
      ExactNumbers.Rate rate =
          ExactNumbers.scaledRate(bucket.rate(), bucket.period(), Ratio.of(1, parts));
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

  /** Whether so many times the part's rate is that of the whole, and not one rounded. */
  private static boolean isPart(TokenBucket part, TokenBucket whole, int parts) {
    BigInteger together =
        BigInteger.valueOf(part.rate())
            .multiply(BigInteger.valueOf(parts))
            .multiply(BigInteger.valueOf(ExactNumbers.micros(whole.period())));
    BigInteger wanted =
        BigInteger.valueOf(whole.rate())
            .multiply(BigInteger.valueOf(ExactNumbers.micros(part.period())));
    return together.equals(wanted);
  }

  /** The part with this number, counted from 0. */
  public Limit part(int number) {
    return number < more ? larger : smaller;
  }

  /** How many parts, from the first on, could ever hold this amount. */
  public int holding(long amount) {
    if (whole.capacity() == 0 || amount > larger.capacity()) {
      return 0;
    }
    return amount <= smaller.capacity() ? parts : more;
  }
}
