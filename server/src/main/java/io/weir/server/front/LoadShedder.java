package io.weir.server.front;

import io.weir.TokenBucket;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The last line of defence: caps the calls of one process, per second and in flight. It uses
 * neither keys nor rules, and works when everything else fails.
 */
public final class LoadShedder {
  private final Meter rate;
  private final int maxInFlight;
  private final TimeSource time;
  private final LimitState state = new LimitState();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  /**
   * A load guard.
   *
   * @param rate maximum rate of calls
   * @param maxInFlight maximum number of calls in flight
   */
  public LoadShedder(TokenBucket rate, int maxInFlight, TimeSource time) {
    this.rate = Meter.of(rate);
    this.maxInFlight = maxInFlight;
    this.time = time;
  }

  /** Whether one more call is admitted; if so, {@link #exit} must follow. */
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
    rate.open(state, now, 0);
    boolean admitted = rate.admits(state, now, 1);
    if (admitted) {
      rate.take(state, now, 1, 0);
    }
    return admitted;
  }

  /** An admitted call has ended. */
  public void exit() {
    inFlight.decrementAndGet();
  }

  /** The number of calls refused so far. */
  public long refused() {
    return refused.sum();
  }

  /** The number of calls in flight. */
  public int inFlight() {
    return inFlight.get();
  }
}
