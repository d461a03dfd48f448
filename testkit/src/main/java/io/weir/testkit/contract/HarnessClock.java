package io.weir.testkit.contract;

import io.weir.ExactNumbers;
import java.time.Duration;

/** Moves the time of a harness, within the range that a store must support. */
final class HarnessClock {
  private static final long HORIZON = ExactNumbers.micros(Duration.ofDays(730));

  private final StoreHarness harness;
  private long moved;

  HarnessClock(StoreHarness harness) {
    this.harness = harness;
  }

  /** Moves the clocks forward or back; never further from the start than two years. */
  void move(long micros) {
    if (Math.abs(moved + micros) > HORIZON) {
      return;
    }
    moved += micros;
    if (micros >= 0) {
      harness.advance(ExactNumbers.ofMicros(micros));
    } else {
      harness.step(ExactNumbers.ofMicros(-micros).negated());
    }
  }
}
