package io.weir.store;

import io.weir.Key;
import java.util.List;

/** Sees to it that a reservation is settled once, and not when that comes too late. */
final class SettledMarks {
  private final MemoryStore store;

  SettledMarks(MemoryStore store) {
    this.store = store;
  }

  /** Marks a reservation as settled; false if it was before, or is older than this in µs. */
  boolean mark(long reservation, List<Held> parts, long within) {
    long now = store.time().micros();
    if (isLate(parts, now, within)) {
      return false;
    }
    Key marker = Key.of("settled", Long.toString(reservation));
    Segment notes = store.segmentOf(marker.high());
    notes.lock();
    try {
      boolean first = notes.find(marker.high(), marker.low()) < 0;
      if (first) {
        notes.insertMarker(marker.high(), marker.low(), latest(parts, now) + within, now);
      }
      return first;
    } finally {
      notes.unlock();
    }
  }

  /**
   * Whether all parts were taken longer ago than this; what was taken that much later than now was
   * taken by another process, whose clock is another.
   */
  private static boolean isLate(List<Held> parts, long now, long within) {
    for (Held part : parts) {
      if (Math.abs(now - part.stamp().madeAt()) < within) {
        return false;
      }
    }
    return !parts.isEmpty();
  }

  /** Now, or when the last part was taken by a clock that is ahead. */
  private static long latest(List<Held> parts, long now) {
    long latest = now;
    for (Held part : parts) {
      latest = Math.max(latest, part.stamp().madeAt());
    }
    return latest;
  }
}
