package io.weir.testkit.lease;

import java.util.function.LongUnaryOperator;

/** What a fleet has admitted in each window, of which no two overlap. */
public final class WindowAdmissionBound implements SimulatedFleet.AdmissionListener {
  private final LongUnaryOperator windowOf;
  private long window = Long.MIN_VALUE;
  private long count;
  private long most;

  /**
   * Nothing yet.
   *
   * @param windowOf the window that a time is in, by any number
   */
  public WindowAdmissionBound(LongUnaryOperator windowOf) {
    this.windowOf = windowOf;
  }

  @Override
  public void add(long amount, long micros) {
    long now = windowOf.applyAsLong(micros);
    count = now == window ? count + amount : amount;
    window = now;
    most = Math.max(most, count);
  }

  /** The most that was admitted in any window. */
  public long most() {
    return most;
  }
}
