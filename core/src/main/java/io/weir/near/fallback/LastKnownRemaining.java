package io.weir.near.fallback;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What was left of windows and quotas when the store was last heard, for the day it is not. A
 * bucket that is not in it starts with its whole share.
 *
 * <p>A table of fixed size, in sets of {@value #WAYS}: a key has its place in one set. Where there
 * is no room the most exhausted stay, as they are the ones that would get most for nothing.
 */
final class LastKnownRemaining {
  private static final int SET_BITS = 13;
  private static final int WAYS = 8;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  /** The part of the limit that was left, beside the number, so that limits can be compared. */
  private record Entry(long high, long low, long remaining, long until, float part) {
    boolean isOf(long wantedHigh, long wantedLow) {
      return low == wantedLow && high == wantedHigh;
    }
  }

  private final AtomicReferenceArray<@Nullable Entry> places =
      new AtomicReferenceArray<>(WAYS << SET_BITS);

  /** Notes what was left of a window that ends at this time. */
  void record(Pool pool, Key key, long remaining, long until, long now) {
    long high = pool.high(key);
    long low = pool.low(key);
    float part = (float) remaining / Math.max(1, pool.meter().capacity());
    int first = firstPlace(low);
    int place = -1;
    float most = part;
    for (int i = first; i < first + WAYS; i++) {
      Entry here = places.getAcquire(i);
      if (here != null && here.isOf(high, low)) {
        place = i;
        break;
      }
      float left = here == null || here.until <= now ? Float.MAX_VALUE : here.part;
      if (left > most) {
        most = left;
        place = i;
      }
    }
    if (place >= 0) {
      places.setRelease(place, new Entry(high, low, remaining, until, part));
    }
  }

  /** What was left of a window that goes on, told once; −1 if that is not known. */
  long take(Pool pool, Key key, long now) {
    long high = pool.high(key);
    long low = pool.low(key);
    int first = firstPlace(low);
    for (int i = first; i < first + WAYS; i++) {
      Entry here = places.getAcquire(i);
      if (here != null && here.isOf(high, low)) {
        return places.compareAndSet(i, here, null) && now < here.until ? here.remaining : -1;
      }
    }
    return -1;
  }

  private static int firstPlace(long low) {
    return (int) (low * GOLDEN >>> (Long.SIZE - SET_BITS)) * WAYS;
  }
}
