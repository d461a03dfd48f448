package io.weir;

import java.time.Duration;

/**
 * At most {@code count} in each window. Cheap and easy to explain; up to twice the count can pass
 * around a boundary.
 *
 * @param aligned whether windows start on the clock; otherwise each key has a phase of its own, so
 *     that many keys do not reset at once
 */
public record FixedWindow(long count, Duration window, boolean aligned, String name)
    implements Limit {
  public FixedWindow {
    ExactNumbers.fixedWindow(count, window);
    ExactNumbers.name(name);
  }

  /** The same limit with windows that start on the clock. */
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
  public FixedWindow scaled(Ratio scale) {
    return new FixedWindow(scale.times(count), window, aligned, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
