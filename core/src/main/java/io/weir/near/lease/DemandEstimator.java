package io.weir.near.lease;

/**
 * Estimates how fast one key's tokens are used, and how many are worth leasing.
 *
 * <p>Updated at every request to the store with the tokens used since the one before: a moving
 * average in which a few tokens weigh by the time they took, and many at once by their number. So a
 * slow key is not mistaken for a hot one, and a hot one is recognised at its second request.
 *
 * <p>The target is the demand of 0.1 s. Where that is low, it is the demand of up to 4 s, up to 20
 * tokens: a lease should save requests for a slow key too, and cannot strand many tokens. Used by
 * one thread at a time.
 */
final class DemandEstimator {
  static final long HORIZON = 100_000;
  static final long MAX_HORIZON = 4_000_000;
  static final long WORTH_A_CALL = 20;

  /** This many tokens at once get a weight of one half. */
  private static final double HALF_WEIGHT_TOKENS = 16;

  private static final double MEMORY_MICROS = 4_000_000;

  /** Intervals shorter than this, in µs, are not used to estimate a rate. */
  private static final long SHORTEST = 1000;

  private double perMicro;
  private long since;
  private long tokens;

  DemandEstimator(long now) {
    this.since = now;
  }

  /** Adds the tokens used since the last call. */
  void add(long more, long now) {
    tokens += more;
    long passed = now - since;
    if (passed < SHORTEST) {
      return;
    }
    double byTime = -Math.expm1(-passed / MEMORY_MICROS);
    double squared = (double) tokens * tokens;
    double byNumber = squared / (squared + HALF_WEIGHT_TOKENS * HALF_WEIGHT_TOKENS);
    perMicro += Math.max(byTime, byNumber) * ((double) tokens / passed - perMicro);
    since = now;
    tokens = 0;
  }

  /** Expected demand in this many µs. */
  long expectedIn(long micros) {
    return (long) (perMicro * micros);
  }

  /** The number of tokens to hold. */
  long target() {
    return Math.max(expectedIn(HORIZON), Math.min(WORTH_A_CALL, expectedIn(MAX_HORIZON)));
  }

  /** How long these tokens last, in µs, with an upper bound. */
  long durationOf(long tokens) {
    return perMicro <= 0 ? MAX_HORIZON : (long) Math.min(tokens / perMicro, 1e12);
  }
}
