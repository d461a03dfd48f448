package io.weir.limit;

/**
 * The whole numbers in which a bucket is kept exactly: a token is {@code token} units, and a tick
 * of {@code tick} µs drains {@code drain} units.
 *
 * <p>With N tokens per P µs and a tick of q µs, dividing N and P/q by their greatest common divisor
 * gives the smallest whole numbers whose ratio is the rate, so nothing is ever rounded: 999,983 a
 * second is kept as 999,983 units a tick of 1 µs and 1,000,000 units a token.
 */
record BucketUnits(long tick, long drain, long token) {

  /** The finest tick for which everything stays exact. */
  static BucketUnits of(long rate, long periodMicros, long burst) {
    for (long tick : Bounds.TICKS) {
      long ticks = periodMicros / tick;
      long divisor = gcd(rate, ticks);
      long token = ticks / divisor;
      boolean unitFits = token <= Bounds.MAX_UNIT;
      boolean burstFits = burst < Bounds.EXACT / token || (burst == 0);
      if (unitFits && burstFits && fillFits(rate, periodMicros, burst)) {
        return new BucketUnits(tick, rate / divisor, token);
      }
    }
    throw Bounds.refused(
        "a burst of "
            + burst
            + " at "
            + rate
            + " per "
            + periodMicros / 1000
            + " ms cannot be kept exactly; use a smaller burst or a shorter period");
  }

  /** Whether an empty bucket is full again within 2^52 µs, about 142 years. */
  private static boolean fillFits(long rate, long periodMicros, long burst) {
    return Math.multiplyHigh(burst, periodMicros) == 0
        ? Long.compareUnsigned(
                Long.divideUnsigned(burst * periodMicros, rate), Bounds.MAX_FILL_MICROS)
            < 0
        : (double) burst * periodMicros / rate < Bounds.MAX_FILL_MICROS;
  }

  private static long gcd(long a, long b) {
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
}
