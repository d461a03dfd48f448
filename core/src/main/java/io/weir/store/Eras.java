package io.weir.store;

/**
 * Times in 48 bits: microseconds from a little more than two years before the table was made, on
 * either clock. That lasts for more than six years, and a clock that steps further back than two is
 * taken as having stepped back two.
 */
final class Eras {
  private static final long BEFORE = 1L << 46;
  private static final long MOST = (1L << 48) - 1;

  private final long monotonicStart;
  private final long wallStart;

  Eras(long monotonicNow, long wallNow) {
    this.monotonicStart = monotonicNow - BEFORE;
    this.wallStart = wallNow - BEFORE;
  }

  long absolute(long relative, boolean wall) {
    return relative + (wall ? wallStart : monotonicStart);
  }

  /** Never 0, which means that a slot is free. */
  long relative(long absolute, boolean wall) {
    long relative = absolute - (wall ? wallStart : monotonicStart);
    return Math.max(1, Math.min(MOST, relative));
  }
}
