package io.weir.store;

import io.weir.time.TimeSource;
import java.util.List;

/**
 * Sees to it that a reservation is settled once, and not when that comes too late.
 *
 * <p>Marks are no keys: they lie beside the table and take no room from the buckets of callers.
 * There are as many as the store may have keys, within bounds; past that the oldest are forgotten
 * first, and such a reservation could be settled again by whoever still holds it.
 */
final class SettledMarks {
  /** Reservations settled by different threads seldom meet at the same lock. */
  private static final int STRIPES = 16;

  private static final long FEWEST = 1 << 10;
  private static final long MOST = 1 << 20;

  private final TimeSource time;
  private final MarkedIds[] stripes = new MarkedIds[STRIPES];

  SettledMarks(TimeSource time, long maxKeys) {
    this.time = time;
    long most = Math.max(FEWEST, Math.min(MOST, maxKeys));
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new MarkedIds((int) (most / STRIPES));
    }
  }

  /** Marks a reservation as settled; false if it was before, or is older than this in µs. */
  boolean mark(long reservation, List<Held> parts, long within) {
    long now = time.micros();
    return !isLate(parts, now, within)
        && stripes[(int) reservation & (STRIPES - 1)].add(
            reservation, latest(parts, now) + within, now);
  }

  /** Forgets marks that are no longer looked for. */
  void sweep(long now) {
    for (MarkedIds stripe : stripes) {
      stripe.sweep(now);
    }
  }

  long bytes() {
    long bytes = 0;
    for (MarkedIds stripe : stripes) {
      bytes += stripe.bytes();
    }
    return bytes;
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
