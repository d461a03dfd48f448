package io.weir.near.fallback;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.TokenBucket;
import io.weir.store.Pool;

/**
 * One instance's part of a pool: the limit divided by the number of instances, times the rule's
 * local factor.
 *
 * <p>The rate is exact (100/s among 3 instances is 100 per 3 s), the burst is at least one token.
 * Windows begin and end with the shared ones.
 *
 * @param ratio the factor applied to the limit
 * @param pool decides locally
 * @param settled bookkeeping pool with the same limit: the part of local usage that the store
 *     already knows of and that is therefore no debt
 * @param charged bookkeeping pool with the same limit: the part of {@code settled} that the shared
 *     bucket was certainly charged, so that it can be refunded
 */
record InstanceShare(int instances, Ratio ratio, Pool pool, Pool settled, Pool charged) {
  static InstanceShare of(Pool shared, int instances) {
    Ratio factor = shared.localFactor();
    Ratio ratio = Ratio.of(factor.numerator(), factor.denominator() * instances);
    Limit limit = scaled(shared.meter().limit(), ratio);
    String slot = shared.slot() + ".share";
    return new InstanceShare(
        instances,
        ratio,
        new Pool(shared.rule(), shared.name(), slot, limit, shared.countDenied()).onWall(),
        bookkeepingPool(shared, ".settled", limit),
        bookkeepingPool(shared, ".charged", limit));
  }

  private static Pool bookkeepingPool(Pool shared, String suffix, Limit limit) {
    return new Pool(shared.rule(), shared.name(), shared.slot() + suffix, limit, false).onWall();
  }

  private static Limit scaled(Limit limit, Ratio ratio) {
    try {
      return limit.scaled(ratio);
    } catch (IllegalArgumentException e) {
      // The longer period cannot be represented exactly: use whole tokens per original period.
      if (limit instanceof TokenBucket bucket) {
        long rate = ratio.times(bucket.rate());
        return new TokenBucket(rate, bucket.period(), ratio.times(bucket.burst()), bucket.name());
      }
      if (limit instanceof LeakyBucket bucket) {
        long rate = ratio.times(bucket.rate());
        long queue = ratio.times(bucket.queue());
        return new LeakyBucket(rate, bucket.period(), queue, bucket.maxWait(), bucket.name());
      }
      throw e;
    }
  }
}
