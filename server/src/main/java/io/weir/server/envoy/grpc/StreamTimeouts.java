package io.weir.server.envoy.grpc;

import org.jspecify.annotations.Nullable;

/**
 * Timeouts of the streams on one event loop: requests that have not fully arrived, and responses
 * that have not been fully sent. Each times out after {@value #TICKS} ticks of a timer, one tick
 * per second. Counting ticks avoids reading a clock per call. Waiting streams form a linked list,
 * oldest first, so no search is needed either.
 */
public final class StreamTimeouts {
  static final int TICKS = 10;

  /** A stream that waits for its client. */
  public abstract static class Entry {
    private @Nullable Entry previous;
    private @Nullable Entry next;
    private boolean active;
    private int since;

    /** The timeout has expired; the entry is no longer in the list. */
    public abstract void onTimeout();
  }

  private @Nullable Entry first;
  private @Nullable Entry last;
  private int now;

  /** Starts the timeout of an entry, or restarts it. */
  public void start(Entry entry) {
    stop(entry);
    entry.active = true;
    entry.since = now;
    entry.previous = last;
    if (last == null) {
      first = entry;
    } else {
      last.next = entry;
    }
    last = entry;
  }

  /** Cancels the timeout of an entry; does nothing if none is running. */
  public void stop(Entry entry) {
    if (!entry.active) {
      return;
    }
    entry.active = false;
    Entry previous = entry.previous;
    Entry next = entry.next;
    if (previous == null) {
      first = next;
    } else {
      previous.next = next;
    }
    if (next == null) {
      last = previous;
    } else {
      next.previous = previous;
    }
    entry.previous = null;
    entry.next = null;
  }

  /** A tick of the timer: expires all entries that are due. */
  public void tick() {
    now++;
    for (Entry oldest = first; oldest != null; oldest = first) {
      if (now - oldest.since <= TICKS) {
        return;
      }
      stop(oldest);
      oldest.onTimeout();
    }
  }
}
