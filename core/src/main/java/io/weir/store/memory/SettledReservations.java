package io.weir.store.memory;

import io.weir.base.Micros;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.time.TimeSource;
import java.util.List;

/**
 * Markers that make a settlement apply once, and not after its deadline.
 *
 * <p>Markers are not keys: they are stored beside the table and take no room from buckets. There
 * are as many as the maximum of keys, within bounds, and as many again of short-lived ones: those
 * come with every request of a gateway, and would soon displace the others. Beyond that the oldest
 * are dropped first, and reservations from their time are no longer settled, as it is unknown which
 * of them already were. Short-lived markers are exempt: their single holder settles once, possibly
 * long after newer ones.
 */
final class SettledReservations {
  /** Settlements in different threads rarely contend for the same lock. */
  private static final int STRIPES = 16;

  private static final long MIN_IDS = 1 << 10;
  private static final long MAX_IDS = 1 << 20;

  /** Markers that live no longer than this, in µs, are short-lived. */
  private static final long BRIEFLY = 60_000_000;

  private final TimeSource time;
  private final Stripe[] stripes = new Stripe[STRIPES];

  SettledReservations(TimeSource time, long maxKeys) {
    this.time = time;
    long most = Math.max(MIN_IDS, Math.min(MAX_IDS, maxKeys));
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe((int) (most / STRIPES));
    }
  }

  /** Marks a reservation as settled; false if it was before, or is too old. */
  boolean mark(long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    long now = time.micros();
    return !isLate(parts, now, Micros.of(terms.within()))
        && stripes[(int) reservation & (STRIPES - 1)].mark(
            reservation,
            latest(parts, Long.MIN_VALUE),
            latest(parts, now) + Micros.of(terms.marked()),
            now);
  }

  /** Drops expired markers. */
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
   * Whether all parts were taken longer ago than {@code within}. A part that was taken that far in
   * the future comes from another process with another clock.
   */
  private static boolean isLate(List<ReservedPart> parts, long now, long within) {
    for (ReservedPart part : parts) {
      if (Math.abs(now - part.receipt().madeAt()) < within) {
        return false;
      }
    }
    return !parts.isEmpty();
  }

  /** When the last part was taken; at least {@code least}. */
  private static long latest(List<ReservedPart> parts, long least) {
    long latest = least;
    for (ReservedPart part : parts) {
      latest = Math.max(latest, part.receipt().madeAt());
    }
    return latest;
  }

  /** Some of the markers, under one lock. */
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
