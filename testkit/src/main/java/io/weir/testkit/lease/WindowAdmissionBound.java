package io.weir.testkit.lease;

import java.util.function.LongUnaryOperator;

/** The maximum that a fleet has admitted in any of a sequence of windows that do not overlap. */
public final class WindowAdmissionBound implements SimulatedFleet.AdmissionListener {
  private final LongUnaryOperator windowOf;
  private long window = Long.MIN_VALUE;
  private long count;
  private long most;

  /**
   * An empty record.
   *
   * @param windowOf maps a time to the number of its window
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

  /** The maximum admitted in any window. */
  public long most() {
    return most;
  }
}
