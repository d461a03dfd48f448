package io.weir.limit;

/** Where windows of equal length lie in time. */
final class WindowMath {
  private WindowMath() {}

  /**
   * The end of the window that holds {@code now}, among windows that start at a phase taken from
   * {@code hash}.
   */
  static long endOf(long now, long window, long hash) {
    long phase = Math.floorMod(hash, window);
    return Math.floorDiv(now - phase, window) * window + phase + window;
  }
}
