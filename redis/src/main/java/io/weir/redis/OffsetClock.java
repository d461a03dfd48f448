package io.weir.redis;

import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A node's clock as this instance believes it to be: the monotonic clock here, plus the offset to
 * the node's that was measured with every heartbeat.
 *
 * <p>An answer says what time it was there at some moment between asking and hearing; the middle is
 * the best guess, and off by at most half the round trip. So the measurement with the smallest
 * round trip of the last {@value #KEPT} is the one that is used. Until there is one, and where a
 * node refuses to tell the time, the wall clock stands in.
 */
final class OffsetClock implements StoreClock {
  private static final int KEPT = 10;

  private final TimeSource time;
  private final long[] offsets = new long[KEPT];
  private final long[] roundTrips = new long[KEPT];
  private int measured;
  private volatile long offset = Long.MIN_VALUE;

  OffsetClock(TimeSource time) {
    this.time = time;
  }

  /** Asks a node for its time; one that refuses changes nothing. */
  CompletionStage<Void> measure(Supplier<? extends CompletionStage<List<byte[]>>> node) {
    long asked = time.micros();
    return node.get()
        .handle(
            (parts, problem) -> {
              if (problem == null && parts.size() == 2) {
                measured(
                    asked, time.micros(), number(parts.get(0)) * 1_000_000 + number(parts.get(1)));
              }
              return null;
            });
  }

  /**
   * As {@link #measure}, where somebody else may be asked than before: after a failover the clock
   * is that of another machine. What was measured before counts no more once this is answered.
   */
  CompletionStage<Void> measureAnew(Supplier<? extends CompletionStage<List<byte[]>>> node) {
    forget();
    return measure(node);
  }

  private synchronized void forget() {
    measured = 0;
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  /** Notes what a node said the time was. */
  synchronized void measured(long askedMicros, long heardMicros, long nodeMicros) {
    int at = measured++ % KEPT;
    roundTrips[at] = heardMicros - askedMicros;
    offsets[at] = nodeMicros - (askedMicros + (heardMicros - askedMicros) / 2);
    int best = 0;
    for (int i = 1; i < Math.min(measured, KEPT); i++) {
      best = roundTrips[i] < roundTrips[best] ? i : best;
    }
    offset = offsets[best];
  }

  @Override
  public long micros() {
    long known = offset;
    return known == Long.MIN_VALUE ? time.wallMicros() : time.micros() + known;
  }
}
