package io.weir.testkit.contract;

import io.weir.base.Micros;
import java.time.Duration;

/** Moves the time of a harness, within the range that a store must support. */
final class HarnessClock {
  private static final long HORIZON = Micros.of(Duration.ofDays(730));

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
      harness.advance(Micros.toDuration(micros));
    } else {
      harness.step(Micros.toDuration(-micros).negated());
    }
  }
}
