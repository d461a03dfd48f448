package io.weir.server.envoy;

import java.util.HashMap;
import java.util.Map;

/**
 * The questions of one event loop that have not arrived whole: they have {@value #TICKS} seconds to
 * do so. Time is counted in ticks of a timer, so that a question costs no look at a clock.
 */
public final class Patience {
  static final int TICKS = 10;

  /** Who waits for a question. */
  interface Waiting {
    /** It took too long; what comes after this is too late. */
    void overdue();
  }

  private final Map<Waiting, Integer> unfinished = new HashMap<>();

  /** The present tick, boxed once and not per question. */
  private Integer now = 0;

  void begun(Waiting question) {
    unfinished.put(question, now);
  }

  /** A question has arrived, or never will. */
  void ended(Waiting question) {
    unfinished.remove(question);
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
