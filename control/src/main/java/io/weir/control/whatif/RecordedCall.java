package io.weir.control.whatif;

/**
 * One recorded call, without any readable value.
 *
 * @param at when it was decided, in µs: on the monotonic clock in a ring, since 1970 in a recording
 * @param position the caller's position in the sample
 * @param caller the hash of the caller
 * @param words see {@link CallShape}
 */
record RecordedCall(
    long at,
    int position,
    long caller,
    CallShape shape,
    long[] words,
    long cost,
    RecordedOutcome outcome) {
  /** Heap bytes of the object and its array, without words. */
  private static final int OVERHEAD = 80;

  /** The heap that this call takes; the shape is shared. */
  int bytes() {
    return bytes(words.length);
  }

  static int bytes(int words) {
    return OVERHEAD + Long.BYTES * words;
  }

  /** Whether a caller at this position is in a sample of one in 2<sup>level</sup>. */
  static boolean isSampled(int position, int level) {
    return level == 0 || position >>> (Integer.SIZE - level) == 0;
  }

  boolean isSampled(int level) {
    return isSampled(position, level);
  }

  RecordedCall at(long micros) {
    return new RecordedCall(micros, position, caller, shape, words, cost, outcome);
  }
}
