package io.weir.testkit.lease;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a fleet has admitted in any time of one length, whenever it begins. */
public final class SpanAdmissionBound implements SimulatedFleet.AdmissionListener {
  private final long length;
  private final Deque<TimedTake> within = new ArrayDeque<>();
  private long sum;
  private long most;

  private record TimedTake(long amount, long micros) {}

  /**
   * Nothing yet.
   *
   * @param length of the time, in µs; what was admitted that long ago is out of it
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

  /** The most that was admitted in any such time. */
  public long most() {
    return most;
  }
}
