package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * An exact sliding window: at most {@code count} in any window. Every admitted call is logged until
 * it is {@code window} old. Memory grows with the count, which is therefore at most 10,000.
 */
public record SlidingLog(long count, Duration window, String name) implements Limit {
  public SlidingLog {
    ExactNumbers.slidingLog(count, window);
    ExactNumbers.name(name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.SLIDING_LOG;
  }

  @Override
  public long capacity() {
    return count;
  }

  @Override
  public SlidingLog named(String name) {
    return new SlidingLog(count, window, name);
  }

  @Override
  public SlidingLog scaled(Ratio ratio) {
    return new SlidingLog(ratio.times(count), window, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
