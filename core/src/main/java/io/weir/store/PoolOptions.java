package io.weir.store;

import io.weir.OnFail;
import io.weir.Ratio;

/**
 * The options of a pool.
 *
 * @param countDenied whether refusals count
 * @param local whether it is kept in this process, with any store
 * @param subject the dimension that keys begin with
 * @param onFail the decision while the store is unavailable
 * @param localFactor multiplies this instance's share while the store is unavailable
 * @param leaseCap how many of a bucket's tokens may be out on lease at once
 * @param hidden whether callers do not see the limit
 */
record PoolOptions(
    boolean countDenied,
    boolean local,
    String subject,
    OnFail onFail,
    Ratio localFactor,
    long leaseCap,
    boolean hidden) {
  static PoolOptions of(boolean countDenied) {
    return new PoolOptions(countDenied, false, "", OnFail.LOCAL, Ratio.ONE, 0, false);
  }

  PoolOptions keptLocally() {
    return new PoolOptions(countDenied, true, subject, onFail, localFactor, leaseCap, hidden);
  }

  PoolOptions withDimension(String dimension) {
    return new PoolOptions(countDenied, local, dimension, onFail, localFactor, leaseCap, hidden);
  }

  PoolOptions onFail(OnFail answer, Ratio factor) {
    return new PoolOptions(countDenied, local, subject, answer, factor, leaseCap, hidden);
  }

  PoolOptions withLeaseCap(long leaseCap) {
    return new PoolOptions(countDenied, local, subject, onFail, localFactor, leaseCap, hidden);
  }

  PoolOptions hidden(boolean hidden) {
    return new PoolOptions(countDenied, local, subject, onFail, localFactor, leaseCap, hidden);
  }
}
