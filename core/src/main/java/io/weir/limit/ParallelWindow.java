package io.weir.limit;

import io.weir.base.ExactNumbers;

/**
 * The usage of a key in a window of another length than the one in force. While a change of length
 * spreads, some instances use the old length and some the new one. Every take counts in both
 * windows. Otherwise each length would end the other's window early and so refund its count.
 *
 * @param meter the meter of that window
 * @param time the end of the window, in µs
 * @param used the count in the window
 * @param previous sliding windows: the count in the previous window
 */
public record ParallelWindow(Meter meter, long time, long used, long previous) {
  /** The highest count. */
  static final long MAX_COUNT = ExactNumbers.EXACT - 1;

  public ParallelWindow {
    used = Math.max(0, Math.min(used, MAX_COUNT));
  }

  /** This window after a take, or after a give-back if the amount is negative. */
  ParallelWindow plus(long amount) {
    return new ParallelWindow(meter, time, used + amount, previous);
  }
}
