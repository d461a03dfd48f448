package io.weir.testkit.lease;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.base.Micros;
import io.weir.limit.LeaseCap;
import io.weir.rule.Accuracy;
import java.util.List;

/**
 * A fleet and its events, as numbers that can be shrunk one by one.
 *
 * @param millionths the accuracy, as far as it lends no more than the given part
 * @param part maximum share of the limit that may be lent, as in 1/8
 * @param latency mean latency of one direction in µs
 * @param seed for the times of calls and the latency of messages
 */
record FleetStory(
    Limit limit,
    int millionths,
    int part,
    int members,
    long latency,
    int seed,
    List<FleetEvent> events) {
  /** The accuracy of the rule. */
  Accuracy accuracy() {
    int accuracy = millionths;
    while (LeaseCap.of(limit, accuracy) > limit.capacity() / part) {
      accuracy /= 2;
    }
    return new Accuracy(accuracy);
  }

  /** Maximum on lease at once. */
  long lends() {
    return LeaseCap.of(limit, accuracy().millionths());
  }

  boolean isBucket() {
    return limit.algorithm() == Algorithm.TOKEN_BUCKET;
  }

  /** Whether usage admitted elsewhere counts as if spread evenly over the last window. */
  boolean assumesEven() {
    return limit.algorithm() == Algorithm.SLIDING_WINDOW
        || limit.algorithm() == Algorithm.SLIDING_LOG;
  }

  /** Maximum admitted at once: buckets lend on top of it, windows and quotas out of it. */
  long bound() {
    return limit.capacity() + (isBucket() ? lends() : 0);
  }

  /** Average rate of the limit per µs. */
  double perMicro() {
    return (double) limit.capacity() / Micros.of(limit.window());
  }
}
