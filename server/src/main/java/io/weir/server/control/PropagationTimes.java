package io.weir.server.control;

import io.weir.server.control.StatusOperations.Propagation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** How long the latest changes took from commit to this instance. */
final class PropagationTimes {
  private static final int MOST = 1024;

  private final long[] nanos = new long[MOST];
  private long count;

  synchronized void add(Duration took) {
    nanos[(int) (count++ % MOST)] = Math.max(0, took.toNanos());
  }

  /** Over the latest 1,024 changes; empty before the first. */
  synchronized Optional<Propagation> summary() {
    if (count == 0) {
      return Optional.empty();
    }
    long[] sorted = Arrays.copyOf(nanos, (int) Math.min(count, MOST));
    Arrays.sort(sorted);
    return Optional.of(new Propagation(count, quantile(sorted, 0.5), quantile(sorted, 0.99)));
  }

  private static Duration quantile(long[] sorted, double share) {
    int at = (int) Math.ceil(share * sorted.length) - 1;
    return Duration.ofNanos(sorted[Math.max(0, at)]);
  }
}
