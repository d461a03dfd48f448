package io.weir.observe;

/**
 * How much was admitted in the last window, whenever that began: a log by thousandths of the
 * window, so that it takes the same room for ten calls and for ten million. At most what fell into
 * one thousandth is counted for that much too long.
 */
final class SlicedCounter {
  private static final int GRAINS = 1000;

  private final long grainMicros;

  /** One grain more than a window has, for the one that is only partly within it. */
  private final long[] counts = new long[GRAINS + 1];

  private long latest;
  private long sum;

  SlicedCounter(long windowMicros, long now) {
    this.grainMicros = Math.max(1, (windowMicros + GRAINS - 1) / GRAINS);
    this.latest = now / grainMicros;
  }

  /** Notes an amount; a negative one was given back. */
  void add(long now, long amount) {
    turn(now);
    counts[place(latest)] += amount;
    sum += amount;
  }

  /** What was admitted in the window that ends now. */
  long sum(long now) {
    turn(now);
    return sum;
  }

  private void turn(long now) {
    long grain = now / grainMicros;
    for (int i = 0; latest < grain && i < counts.length; i++) {
      latest++;
      sum -= counts[place(latest)];
      counts[place(latest)] = 0;
    }
    latest = Math.max(latest, grain);
  }

  private int place(long grain) {
    return (int) Math.floorMod(grain, (long) counts.length);
  }
}
