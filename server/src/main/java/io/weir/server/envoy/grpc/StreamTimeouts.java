package io.weir.server.envoy.grpc;

import org.jspecify.annotations.Nullable;

/**
 * What one event loop waits for: questions that have not arrived whole, and answers that have not
 * left. Each has {@value #TICKS} seconds. Time is counted in ticks of a timer, so that a call costs
 * no look at a clock; who waits is a link of one chain, the longest waiting first, so that it costs
 * no search either.
 */
public final class StreamTimeouts {
  static final int TICKS = 10;

  /** Who waits for a client. */
  public abstract static class Entry {
    private @Nullable Entry before;
    private @Nullable Entry after;
    private boolean waits;
    private int since;

    /** It took too long; what comes after this is too late. */
    public abstract void onTimeout();
  }

  private @Nullable Entry first;
  private @Nullable Entry last;
  private int now;

  /** The waiting begins, or begins anew. */
  public void start(Entry waiting) {
    stop(waiting);
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
  public void stop(Entry waiting) {
    if (!waiting.waits) {
      return;
    }
    waiting.waits = false;
    Entry before = waiting.before;
    Entry after = waiting.after;
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
    for (Entry longest = first; longest != null; longest = first) {
      if (now - longest.since <= TICKS) {
        return;
      }
      stop(longest);
      longest.onTimeout();
    }
  }
}
