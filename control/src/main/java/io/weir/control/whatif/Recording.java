package io.weir.control.whatif;

import java.util.List;

/**
 * Recorded calls of one instance or of several, in time order.
 *
 * @param level the calls are those of one in 2<sup>level</sup> callers
 * @param completeSince from this moment on no call of these callers is missing, in µs since 1970;
 *     {@link #ALWAYS} if the recording holds everything since its instance started
 * @param skipped calls of the sample that could not be recorded
 */
public record Recording(int level, long completeSince, long skipped, List<RecordedCall> calls) {
  /** Complete since the start of the instance. */
  static final long ALWAYS = 0;

  /** Nothing recorded. */
  public static final Recording EMPTY = new Recording(0, ALWAYS, 0, List.of());

  /** The share of callers, from 0 to 1. */
  public double share() {
    return 1.0 / (1L << level);
  }

  /** The number of callers. */
  public long callers() {
    return calls.stream().mapToLong(RecordedCall::caller).distinct().count();
  }

  /** The number of calls. */
  public int size() {
    return calls.size();
  }

  /** This recording with a smaller sample of callers. */
  Recording atLevel(int higher) {
    return higher <= level
        ? this
        : new Recording(
            higher,
            completeSince,
            skipped,
            calls.stream().filter(call -> call.isSampled(higher)).toList());
  }
}
