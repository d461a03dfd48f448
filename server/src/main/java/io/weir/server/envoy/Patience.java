package io.weir.server.envoy;

import org.jspecify.annotations.Nullable;

/**
 * What one event loop waits for: questions that have not arrived whole, and answers that have not
 * left. Each has {@value #TICKS} seconds. Time is counted in ticks of a timer, so that a call costs
 * no look at a clock; who waits is a link of one chain, the longest waiting first, so that it costs
 * no search either.
 */
public final class Patience {
  static final int TICKS = 10;

  /** Who waits for a client. */
  public abstract static class Waiting {
    private @Nullable Waiting before;
    private @Nullable Waiting after;
    private boolean waits;
    private int since;

    /** It took too long; what comes after this is too late. */
    public abstract void overdue();
  }

  private @Nullable Waiting first;
  private @Nullable Waiting last;
  private int now;

  /** The waiting begins, or begins anew. */
  public void begun(Waiting waiting) {
    ended(waiting);
    waiting.waits = true;
    waiting.since = now;
    waiting.before = last;
    if (last == null) {
      first = waiting;
    } else {
      last.after = waiting;
    }
    last = waiting;
  }

  /** What was waited for is there, or never will be. */
  public void ended(Waiting waiting) {
    if (!waiting.waits) {
      return;
    }
    waiting.waits = false;
    Waiting before = waiting.before;
    Waiting after = waiting.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.before = before;
    }
    waiting.before = null;
    waiting.after = null;
  }

  /** A tick of the timer: ends what has taken too long. */
  public void tick() {
    now++;
    for (Waiting longest = first; longest != null; longest = first) {
      if (now - longest.since <= TICKS) {
        return;
      }
      ended(longest);
      longest.overdue();
    }
  }
}
