package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.base.Micros;
import io.weir.limit.LeaseCap;
import io.weir.rule.Accuracy;
import java.util.List;

/**
 * A fleet and what it goes through, in numbers that can be made smaller one by one.
 *
 * @param millionths the accuracy, as far as it lends no more than the given part
 * @param part of the limit may be lent at most, as in 1/8
 * @param latency of one direction, on average, in µs
 * @param seed for the moments of calls, and which way takes how long
 */
record FleetStory(
    Limit limit,
    int millionths,
    int part,
    int members,
    long latency,
    int seed,
    List<FleetEvent> events) {
  /** What the rule says. */
  Accuracy accuracy() {
    int accuracy = millionths;
    while (LeaseCap.of(limit, accuracy) > limit.capacity() / part) {
      accuracy /= 2;
    }
    return new Accuracy(accuracy);
  }

  /** What may be out on lease at once. */
  long lends() {
    return LeaseCap.of(limit, accuracy().millionths());
  }

  boolean isBucket() {
    return limit.algorithm() == Algorithm.TOKEN_BUCKET;
  }

  /**
   * Whether what was let through elsewhere counts as if it had gone evenly over the last window,
   * whenever it went.
   */
  boolean assumesEven() {
    return limit.algorithm() == Algorithm.SLIDING_WINDOW
        || limit.algorithm() == Algorithm.SLIDING_LOG;
  }

  /** The most that may be admitted at once: buckets lend beside it, windows and quotas of it. */
  long bound() {
    return limit.capacity() + (isBucket() ? lends() : 0);
  }

  /** What the limit admits on average, per µs. */
  double perMicro() {
    return (double) limit.capacity() / Micros.of(limit.window());
  }
}
