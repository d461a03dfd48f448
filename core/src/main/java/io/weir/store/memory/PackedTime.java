package io.weir.store.memory;

/**
 * Encodes times in 48 bits.
 *
 * <p>Monotonic clock: µs since a little more than two years before the table was created, which
 * lasts for more than six years. Wall clock, which may have been far off when the table was
 * created: ms since 1970, rounded up. Nearly all wall-clock windows end on whole ms. Those of a
 * local share end with the shared ones, and by rounding up are not dropped earlier.
 */
final class PackedTime {
  private static final long BEFORE = 1L << 46;
  private static final long MAX_TIME = (1L << 48) - 1;
  private static final long MILLI = 1000;

  private final long monotonicStart;

  PackedTime(long monotonicNow) {
    this.monotonicStart = monotonicNow - BEFORE;
  }

  long absolute(long relative, boolean wall) {
    return wall ? relative * MILLI : relative + monotonicStart;
  }

  /** Never 0, which marks a free slot. */
  long relative(long absolute, boolean wall) {
    long relative = wall ? millis(absolute) : absolute - monotonicStart;
    return Math.max(1, Math.min(MAX_TIME, relative));
  }

  /** The end of a wall-clock window as stored: rounded up to whole ms. */
  static long rounded(long wall) {
    return millis(wall) * MILLI;
  }

  private static long millis(long wall) {
    return (wall + MILLI - 1) / MILLI;
  }
}
