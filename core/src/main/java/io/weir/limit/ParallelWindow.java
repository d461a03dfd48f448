package io.weir.limit;

import io.weir.ExactNumbers;

/**
 * A key's usage in a window of another length than the one in force. While a change spreads, some
 * instances hold the old length and some the new one. What is taken counts in both windows, or each
 * would end the other's early and refund what was counted there.
 *
 * @param meter the numbers of that window
 * @param time when it ends, in µs
 * @param used the count in it
 * @param previous sliding windows: the count in the one before
 */
public record ParallelWindow(Meter meter, long time, long used, long previous) {
  /** What is counted at most. */
  static final long MOST = ExactNumbers.EXACT - 1;

  public ParallelWindow {
    used = Math.max(0, Math.min(used, MOST));
  }

  /** The same after so much was taken, or given back if it is negative. */
  ParallelWindow plus(long amount) {
    return new ParallelWindow(meter, time, used + amount, previous);
  }
}
