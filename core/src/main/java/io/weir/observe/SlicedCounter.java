package io.weir.observe;

/**
 * Counts the amount admitted within the last window, by slices of 1/1000 of the window. So it takes
 * the same memory for ten calls and for ten million. An amount may be counted for up to one slice
 * too long.
 */
final class SlicedCounter {
  private static final int SLICES = 1000;

  private final long sliceMicros;

  /** One slice more than a window has, for the slice that is only partly within it. */
  private final long[] counts = new long[SLICES + 1];

  private long latest;
  private long sum;

  SlicedCounter(long windowMicros, long now) {
    this.sliceMicros = Math.max(1, (windowMicros + SLICES - 1) / SLICES);
    this.latest = now / sliceMicros;
  }

  /** Adds an amount; a negative one was given back. */
  void add(long now, long amount) {
    advance(now);
    counts[indexOf(latest)] += amount;
    sum += amount;
  }

  /** The amount admitted in the window that ends now. */
  long sum(long now) {
    advance(now);
    return sum;
  }

  private void advance(long now) {
    long slice = now / sliceMicros;
    for (int i = 0; latest < slice && i < counts.length; i++) {
      latest++;
      sum -= counts[indexOf(latest)];
      counts[indexOf(latest)] = 0;
    }
    latest = Math.max(latest, slice);
  }

  private int indexOf(long slice) {
    return (int) Math.floorMod(slice, (long) counts.length);
  }
}
