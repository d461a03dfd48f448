package io.weir.store.memory;

/**
 * Times in 48 bits.
 *
 * <p>On the monotonic clock: microseconds from a little more than two years before the table was
 * made, which lasts for more than six years. On the wall clock, which may have been far off when
 * the table was made: milliseconds since 1970, rounded up. Nearly all windows on the wall clock end
 * on whole ones; those of a share end when the shared ones do, and are not forgotten before.
 */
final class PackedTime {
  private static final long BEFORE = 1L << 46;
  private static final long MOST = (1L << 48) - 1;
  private static final long MILLI = 1000;

  private final long monotonicStart;

  PackedTime(long monotonicNow) {
    this.monotonicStart = monotonicNow - BEFORE;
  }

  long absolute(long relative, boolean wall) {
    return wall ? relative * MILLI : relative + monotonicStart;
  }

  /** Never 0, which means that a slot is free. */
  long relative(long absolute, boolean wall) {
    long relative = wall ? millis(absolute) : absolute - monotonicStart;
    return Math.max(1, Math.min(MOST, relative));
  }

  /** The end of a window on the wall clock, as it is kept. */
  static long rounded(long wall) {
    return millis(wall) * MILLI;
  }

  private static long millis(long wall) {
    return (wall + MILLI - 1) / MILLI;
  }
}
