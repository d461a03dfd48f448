package io.weir.near.lease;

/**
 * How fast one key's tokens are handed out here, and how many are worth having in hand.
 *
 * <p>Learned when the store is called anyway, from what went since the call before: a moving
 * average in which a handful of tokens weighs by the time they took, and a crowd of them at once by
 * their number, so that a slow key is not mistaken for a hot one and a hot one is known at its
 * second call.
 *
 * <p>Worth having is what goes in a tenth of a second. Where that is not much, it is what goes in
 * up to four seconds, as far as twenty tokens: a slow key's lease should save calls too, and cannot
 * strand much. Belongs to one thread at a time.
 */
final class DemandEstimator {
  static final long HORIZON = 100_000;
  static final long LONGEST_HORIZON = 4_000_000;
  static final long WORTH_A_CALL = 20;

  /** So many tokens at once weigh half. */
  private static final double HALF_WEIGHT_TOKENS = 16;

  private static final double MEMORY_MICROS = 4_000_000;

  /** Less time than this says nothing of a rate. */
  private static final long SHORTEST = 1000;

  private double perMicro;
  private long since;
  private long tokens;

  DemandEstimator(long now) {
    this.since = now;
  }

  /** Notes what went since the last time. */
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

  /** What goes in so many microseconds. */
  long expectedIn(long micros) {
    return (long) (perMicro * micros);
  }

  /** How many tokens to have in hand. */
  long target() {
    return Math.max(expectedIn(HORIZON), Math.min(WORTH_A_CALL, expectedIn(LONGEST_HORIZON)));
  }

  /** How long so many tokens last, in µs, within reason. */
  long durationOf(long tokens) {
    return perMicro <= 0 ? LONGEST_HORIZON : (long) Math.min(tokens / perMicro, 1e12);
  }
}
