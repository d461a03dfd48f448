package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * A sliding window, estimated from two counters: at most {@code count} in any window. The previous
 * window counts in proportion to its part that lies within the last {@code window}. It takes two
 * numbers per key, and in practice is within about 1% of the exact log.
 *
 * @param aligned whether windows start on the clock, such as at full minutes; otherwise each key
 *     has its own phase, so that keys do not all reset at once
 */
public record SlidingWindow(long count, Duration window, boolean aligned, String name)
    implements Limit {
  public SlidingWindow {
    ExactNumbers.slidingWindow(count, window);
    ExactNumbers.name(name);
  }

  /** This limit with windows that start on the clock, such as at full minutes. */
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
  public SlidingWindow scaled(Ratio ratio) {
    return new SlidingWindow(ratio.times(count), window, aligned, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
