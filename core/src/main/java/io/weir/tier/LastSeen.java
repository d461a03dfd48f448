package io.weir.tier;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What was left of windows and quotas when the store was last heard, for the day it is not. A table
 * of fixed size in which the latest wins; a bucket that is not in it starts with its whole share.
 */
final class LastSeen {
  private static final int PLACES = 1 << 14;

  private record Entry(long high, long low, long remaining, long until) {}

  private final AtomicReferenceArray<@Nullable Entry> places = new AtomicReferenceArray<>(PLACES);

  /** Notes what was left of a window that ends at this time. */
  void note(Pool pool, Key key, long remaining, long until) {
    long low = pool.low(key);
    places.setRelease(place(low), new Entry(pool.high(key), low, remaining, until));
  }

  /** What was left of a window that goes on, told once; −1 if that is not known. */
  long take(Pool pool, Key key, long now) {
    long low = pool.low(key);
    int place = place(low);
    Entry here = places.getAcquire(place);
    if (here == null || here.low != low || here.high != pool.high(key)) {
      return -1;
    }
    return places.compareAndSet(place, here, null) && now < here.until ? here.remaining : -1;
  }

  private static int place(long low) {
    return (int) (low >>> 32) & (PLACES - 1);
  }
}
