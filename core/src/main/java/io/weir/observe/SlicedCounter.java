package io.weir.observe;

/**
 * How much was admitted in the last window, whenever that began: a log by thousandths of the
 * window, so that it takes the same room for ten calls and for ten million. At most what fell into
 * one thousandth is counted for that much too long.
 */
final class SlicedCounter {
  private static final int SLICES = 1000;

  private final long sliceMicros;

  /** One grain more than a window has, for the one that is only partly within it. */
  private final long[] counts = new long[SLICES + 1];

  private long latest;
  private long sum;

  SlicedCounter(long windowMicros, long now) {
    this.sliceMicros = Math.max(1, (windowMicros + SLICES - 1) / SLICES);
    this.latest = now / sliceMicros;
  }

  /** Notes an amount; a negative one was given back. */
  void add(long now, long amount) {
    advance(now);
    counts[place(latest)] += amount;
    sum += amount;
  }

  /** What was admitted in the window that ends now. */
  long sum(long now) {
    advance(now);
    return sum;
  }

  private void advance(long now) {
    long slice = now / sliceMicros;
    for (int i = 0; latest < slice && i < counts.length; i++) {
      latest++;
      sum -= counts[place(latest)];
      counts[place(latest)] = 0;
    }
    latest = Math.max(latest, slice);
  }

  private int place(long slice) {
    return (int) Math.floorMod(slice, (long) counts.length);
  }
}
