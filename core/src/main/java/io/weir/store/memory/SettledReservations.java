package io.weir.store.memory;

import io.weir.ExactNumbers;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.time.TimeSource;
import java.util.List;

/**
 * Sees to it that a reservation is settled once, and not when that comes too late.
 *
 * <p>Marks are no keys: they lie beside the table and take no room from the buckets of callers.
 * There are as many as the store may have keys, within bounds, and as many again of those that are
 * looked for only briefly: they come with every request of a gateway, and would soon push the
 * others out. Past that the oldest are forgotten first, and reservations from their time stand as
 * they are: nobody knows any more which of them were settled. Not so the brief ones: who settles
 * those does it once, and may do so long after others did.
 */
final class SettledReservations {
  /** Reservations settled by different threads seldom meet at the same lock. */
  private static final int STRIPES = 16;

  private static final long FEWEST = 1 << 10;
  private static final long MOST = 1 << 20;

  /** What is looked for no longer than this, in µs, is kept apart. */
  private static final long BRIEFLY = 60_000_000;

  private final TimeSource time;
  private final Stripe[] stripes = new Stripe[STRIPES];

  SettledReservations(TimeSource time, long maxKeys) {
    this.time = time;
    long most = Math.max(FEWEST, Math.min(MOST, maxKeys));
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe((int) (most / STRIPES));
    }
  }

  /** Marks a reservation as settled; false if it was before, or is too old. */
  boolean mark(long reservation, List<ReservedPart> parts, SettlementTerms term) {
    long now = time.micros();
    return !isLate(parts, now, ExactNumbers.micros(term.within()))
        && stripes[(int) reservation & (STRIPES - 1)].mark(
            reservation,
            latest(parts, Long.MIN_VALUE),
            latest(parts, now) + ExactNumbers.micros(term.marked()),
            now);
  }

  /** Forgets marks that are no longer looked for. */
  void sweep(long now) {
    for (Stripe stripe : stripes) {
      stripe.sweep(now);
    }
  }

  long bytes() {
    long bytes = 0;
    for (Stripe stripe : stripes) {
      bytes += stripe.bytes();
    }
    return bytes;
  }

  /**
   * Whether all parts were taken longer ago than this; what was taken that much later than now was
   * taken by another process, whose clock is another.
   */
  private static boolean isLate(List<ReservedPart> parts, long now, long within) {
    for (ReservedPart part : parts) {
      if (Math.abs(now - part.receipt().madeAt()) < within) {
        return false;
      }
    }
    return !parts.isEmpty();
  }

  /** When the last part was taken; not before the time given. */
  private static long latest(List<ReservedPart> parts, long least) {
    long latest = least;
    for (ReservedPart part : parts) {
      latest = Math.max(latest, part.receipt().madeAt());
    }
    return latest;
  }

  /** Some of the marks, under one lock. */
  private static final class Stripe {
    private final ExpiringIdSet brief;
    private final ExpiringIdSet lasting;

    Stripe(int most) {
      this.brief = new ExpiringIdSet(most, false);
      this.lasting = new ExpiringIdSet(most, true);
    }

    synchronized boolean mark(long id, long madeAt, long until, long now) {
      boolean briefly = until - now <= BRIEFLY;
      ExpiringIdSet own = briefly ? brief : lasting;
      ExpiringIdSet others = briefly ? lasting : brief;
      return !others.contains(id) && own.add(id, madeAt, until, now);
    }

    synchronized void sweep(long now) {
      brief.sweep(now);
      lasting.sweep(now);
    }

    synchronized long bytes() {
      return brief.bytes() + lasting.bytes();
    }
  }
}
