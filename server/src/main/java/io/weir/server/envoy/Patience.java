package io.weir.server.envoy;

import java.util.HashMap;
import java.util.Map;

/**
 * What one event loop waits for: questions that have not arrived whole, and answers that have not
 * left. Each has {@value #TICKS} seconds. Time is counted in ticks of a timer, so that a call costs
 * no look at a clock.
 */
public final class Patience {
  static final int TICKS = 10;

  /** Who waits for a client. */
  public interface Waiting {
    /** It took too long; what comes after this is too late. */
    void overdue();
  }

  private final Map<Waiting, Integer> unfinished = new HashMap<>();

  /** The present tick, boxed once and not per call. */
  private Integer now = 0;

  /** The waiting begins, or begins anew. */
  public void begun(Waiting waiting) {
    unfinished.put(waiting, now);
  }

  /** What was waited for is there, or never will be. */
  public void ended(Waiting waiting) {
    unfinished.remove(waiting);
  }

  /** A tick of the timer: ends what has taken too long. */
  public void tick() {
    int tick = now + 1;
    now = tick;
    unfinished.entrySet().stream()
        .filter(entry -> tick - entry.getValue() > TICKS)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(
            overdue -> {
              unfinished.remove(overdue);
              overdue.overdue();
            });
  }
}
