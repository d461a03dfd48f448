package io.weir.testkit.lease;

import java.util.ArrayDeque;
import java.util.Deque;

/** The maximum that a fleet has admitted in any span of one length, wherever it begins. */
public final class SpanAdmissionBound implements SimulatedFleet.AdmissionListener {
  private final long length;
  private final Deque<TimedTake> within = new ArrayDeque<>();
  private long sum;
  private long most;

  private record TimedTake(long amount, long micros) {}

  /**
   * An empty record.
   *
   * @param length of the span in µs; an admission that old is outside
   */
  public SpanAdmissionBound(long length) {
    this.length = length;
  }

  @Override
  public void add(long amount, long micros) {
    while (!within.isEmpty() && within.getFirst().micros <= micros - length) {
      sum -= within.removeFirst().amount;
    }
    within.add(new TimedTake(amount, micros));
    sum += amount;
    most = Math.max(most, sum);
  }

  /** The maximum admitted in any such span. */
  public long most() {
    return most;
  }
}
