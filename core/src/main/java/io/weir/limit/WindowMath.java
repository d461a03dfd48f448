package io.weir.limit;

/** Computes the boundaries of windows of equal length. */
final class WindowMath {
  private WindowMath() {}

  /**
   * The end of the window that contains {@code now}. The hash determines the phase of the windows.
   */
  static long endOf(long now, long window, long hash) {
    long phase = Math.floorMod(hash, window);
    return Math.floorDiv(now - phase, window) * window + phase + window;
  }
}
