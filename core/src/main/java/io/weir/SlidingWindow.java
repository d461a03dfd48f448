package io.weir;

import java.time.Duration;

/**
 * At most {@code count} in any window, estimated: the previous window counts in proportion to how
 * much of it still lies within the last {@code window}. Two numbers a key, and in practice within
 * about 1% of the exact log.
 *
 * @param aligned whether windows start on the clock; otherwise each key has a phase of its own, so
 *     that many keys do not reset at once
 */
public record SlidingWindow(long count, Duration window, boolean aligned, String name)
    implements Limit {
  public SlidingWindow {
    ExactNumbers.slidingWindow(count, window);
    ExactNumbers.name(name);
  }

  /** The same limit with windows that start on the clock. */
  public SlidingWindow alignedToClock() {
    return new SlidingWindow(count, window, true, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.SLIDING_WINDOW;
  }

  @Override
  public long capacity() {
    return count;
  }

  @Override
  public SlidingWindow named(String name) {
    return new SlidingWindow(count, window, aligned, name);
  }

  @Override
  public SlidingWindow scaled(Ratio scale) {
    return new SlidingWindow(scale.times(count), window, aligned, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
