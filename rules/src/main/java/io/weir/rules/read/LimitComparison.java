package io.weir.rules.read;

import io.weir.Concurrency;
import io.weir.FixedWindow;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.SlidingLog;
import io.weir.SlidingWindow;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import io.weir.rule.RuleLimits;
import java.math.BigInteger;
import java.time.Duration;

/** Compares limits of the same algorithm: which of two is stricter. */
public final class LimitComparison {
  private LimitComparison() {}

  /** Whether for each of {@code others} one of {@code limits} is at least as strict. */
  static boolean isAtLeastAsStrict(RuleLimits limits, RuleLimits others) {
    if (limits instanceof RuleLimits.Listed some && others instanceof RuleLimits.Listed more) {
      return more.limits().stream()
          .allMatch(
              other -> some.limits().stream().anyMatch(limit -> isAtLeastAsStrict(limit, other)));
    }
    return limits instanceof RuleLimits.OfTier && others instanceof RuleLimits.OfTier;
  }

  /**
   * Whether {@code limit} admits at most what {@code other} does. False for limits that cannot be
   * compared: different algorithms, or windows of different length.
   */
  public static boolean isAtLeastAsStrict(Limit limit, Limit other) {
    if (limit instanceof TokenBucket a && other instanceof TokenBucket b) {
      return slower(a.rate(), a.period(), b.rate(), b.period()) && a.capacity() <= b.capacity();
    } else if (limit instanceof LeakyBucket a && other instanceof LeakyBucket b) {
      return slower(a.rate(), a.period(), b.rate(), b.period()) && a.capacity() <= b.capacity();
    } else if (limit instanceof FixedWindow a && other instanceof FixedWindow b) {
      return a.count() <= b.count() && a.window().equals(b.window()) && a.aligned() == b.aligned();
    } else if (limit instanceof SlidingWindow a && other instanceof SlidingWindow b) {
      return a.count() <= b.count() && a.window().equals(b.window()) && a.aligned() == b.aligned();
    } else if (limit instanceof SlidingLog a && other instanceof SlidingLog b) {
      return a.count() <= b.count() && a.window().compareTo(b.window()) >= 0;
    } else if (limit instanceof Quota a && other instanceof Quota b) {
      return a.count() <= b.count() && a.period() == b.period() && a.zone().equals(b.zone());
    } else if (limit instanceof Concurrency a && other instanceof Concurrency b) {
      return a.permits() <= b.permits() && a.permitTtl().compareTo(b.permitTtl()) >= 0;
    }
    return false;
  }

  private static boolean slower(long rate, Duration period, long other, Duration otherPeriod) {
    BigInteger ours = BigInteger.valueOf(rate).multiply(micros(otherPeriod));
    return ours.compareTo(BigInteger.valueOf(other).multiply(micros(period))) <= 0;
  }

  private static BigInteger micros(Duration period) {
    return BigInteger.valueOf(Micros.of(period));
  }
}
