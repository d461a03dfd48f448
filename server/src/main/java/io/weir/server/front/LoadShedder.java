package io.weir.server.front;

import io.weir.TokenBucket;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The last resort: a ceiling on what one process takes on, in calls a second and in calls under
 * way. It knows no keys and no rules, and holds when everything else fails.
 */
public final class LoadShedder {
  private final Meter rate;
  private final int maxInFlight;
  private final TimeSource time;
  private final LimitState cell = new LimitState();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  /**
   * A guard.
   *
   * @param rate calls over time
   * @param maxInFlight calls under way at once
   */
  public LoadShedder(TokenBucket rate, int maxInFlight, TimeSource time) {
    this.rate = Meter.of(rate);
    this.maxInFlight = maxInFlight;
    this.time = time;
  }

  /** Whether one more call may be taken on; if so, {@link #exit} must follow. */
  public boolean tryEnter() {
    if (inFlight.incrementAndGet() > maxInFlight || !takeOne()) {
      inFlight.decrementAndGet();
      refused.increment();
      return false;
    }
    return true;
  }

  private synchronized boolean takeOne() {
    long now = time.micros();
    rate.open(cell, now, 0);
    boolean admitted = rate.admits(cell, now, 1);
    if (admitted) {
      rate.take(cell, now, 1, 0);
    }
    return admitted;
  }

  /** A call that was taken on has ended. */
  public void exit() {
    inFlight.decrementAndGet();
  }

  /** How many calls were turned away so far. */
  public long refused() {
    return refused.sum();
  }

  /** Calls under way. */
  public int inFlight() {
    return inFlight.get();
  }
}
