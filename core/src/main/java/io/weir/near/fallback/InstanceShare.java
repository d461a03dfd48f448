package io.weir.near.fallback;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.TokenBucket;
import io.weir.store.Pool;

/**
 * One instance's part of a pool: the limit divided among the instances, times the rule's factor.
 *
 * <p>The rate is exact (100/s among 3 is 100 per 3 s), the burst at least one token. Windows begin
 * and end when the shared ones do.
 *
 * @param scale what the limit was multiplied by
 * @param pool by which this instance decides alone
 * @param settled by the same limit: what counts as taken here and is not owed to anybody
 * @param charged by the same limit: what of that the shared bucket was charged, so that it can give
 *     it back
 */
record InstanceShare(int instances, Ratio scale, Pool pool, Pool settled, Pool charged) {
  static InstanceShare of(Pool shared, int among) {
    Ratio factor = shared.localFactor();
    Ratio scale = Ratio.of(factor.numerator(), factor.denominator() * among);
    Limit limit = scaled(shared.meter().limit(), scale);
    String slot = shared.slot() + ".share";
    return new InstanceShare(
        among,
        scale,
        new Pool(shared.rule(), shared.name(), slot, limit, shared.countDenied()).onWall(),
        bookkeepingPool(shared, ".settled", limit),
        bookkeepingPool(shared, ".charged", limit));
  }

  private static Pool bookkeepingPool(Pool shared, String what, Limit limit) {
    return new Pool(shared.rule(), shared.name(), shared.slot() + what, limit, false).onWall();
  }

  private static Limit scaled(Limit limit, Ratio scale) {
    try {
      return limit.scaled(scale);
    } catch (IllegalArgumentException e) {
      // The longer period could not be kept exactly: whole tokens in the period there is.
      if (limit instanceof TokenBucket bucket) {
        long rate = scale.times(bucket.rate());
        return new TokenBucket(rate, bucket.period(), scale.times(bucket.burst()), bucket.name());
      }
      if (limit instanceof LeakyBucket bucket) {
        long rate = scale.times(bucket.rate());
        long queue = scale.times(bucket.queue());
        return new LeakyBucket(rate, bucket.period(), queue, bucket.maxWait(), bucket.name());
      }
      throw e;
    }
  }
}
