package io.weir.limit;

import io.weir.base.ExactNumbers;

/**
 * The whole numbers that represent a bucket exactly: a token is {@code token} units, and a tick of
 * {@code tick} µs drains {@code drain} units.
 *
 * <p>With N tokens per P µs and a tick of q µs, N and P/q divided by their greatest common divisor
 * are the smallest whole numbers whose ratio is the rate, so nothing is ever rounded. Example:
 * 999,983 tokens per second are 999,983 units per tick of 1 µs and 1,000,000 units per token.
 */
record BucketUnits(long tick, long drain, long token) {

  /** The finest tick for which everything stays exact. */
  static BucketUnits of(long rate, long periodMicros, long burst) {
    long tick = ExactNumbers.bucketTick(rate, periodMicros, burst);
    long ticks = periodMicros / tick;
    long divisor = ExactNumbers.gcd(rate, ticks);
    return new BucketUnits(tick, rate / divisor, ticks / divisor);
  }
}
