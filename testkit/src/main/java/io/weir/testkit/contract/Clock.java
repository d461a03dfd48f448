package io.weir.testkit.contract;

import io.weir.limit.Bounds;
import java.time.Duration;

/** Moves a harness's time, within what a store must be able to tell apart. */
final class Clock {
  private static final long HORIZON = Bounds.micros(Duration.ofDays(730));

  private final StoreHarness harness;
  private long moved;

  Clock(StoreHarness harness) {
    this.harness = harness;
  }

  /** Lets time pass, or sets the clocks back; never further from the start than two years. */
  void move(long micros) {
    if (Math.abs(moved + micros) > HORIZON) {
      return;
    }
    moved += micros;
    if (micros >= 0) {
      harness.advance(Bounds.ofMicros(micros));
    } else {
      harness.step(Bounds.ofMicros(-micros).negated());
    }
  }
}
