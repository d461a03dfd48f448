package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * A fixed window: at most {@code count} in each window. Cheap and easy to explain, but up to twice
 * the count can pass around a boundary.
 *
 * @param aligned whether windows start on the clock, such as at full minutes; otherwise each key
 *     has its own phase, so that keys do not all reset at once
 */
public record FixedWindow(long count, Duration window, boolean aligned, String name)
    implements Limit {
  public FixedWindow {
    ExactNumbers.fixedWindow(count, window);
    ExactNumbers.name(name);
  }

  /** This limit with windows that start on the clock, such as at full minutes. */
  public FixedWindow alignedToClock() {
    return new FixedWindow(count, window, true, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.FIXED_WINDOW;
  }

  @Override
  public long capacity() {
    return count;
  }

  @Override
  public FixedWindow named(String name) {
    return new FixedWindow(count, window, aligned, name);
  }

  @Override
  public FixedWindow scaled(Ratio ratio) {
    return new FixedWindow(ratio.times(count), window, aligned, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
