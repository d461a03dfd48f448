package io.weir.near.fallback;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The remaining amount of windows and quotas at the store's last answer, for use while the store is
 * unavailable. A bucket without an entry starts with its whole share.
 *
 * <p>A table of fixed size, in sets of {@value #WAYS}: a key belongs to one set. If a set is full,
 * the most exhausted entries stay, as their keys would gain most from a fresh start.
 */
final class LastKnownRemaining {
  private static final int SET_BITS = 13;
  private static final int WAYS = 8;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  /**
   * An entry; {@code part} is the remaining fraction of the limit, so that different limits can be
   * compared.
   */
  private record Entry(long high, long low, long remaining, long until, float part) {
    boolean isOf(long wantedHigh, long wantedLow) {
      return low == wantedLow && high == wantedHigh;
    }
  }

  private final AtomicReferenceArray<@Nullable Entry> entries =
      new AtomicReferenceArray<>(WAYS << SET_BITS);

  /** Records the remaining amount of a window that ends at {@code until}. */
  void record(Pool pool, Key key, long remaining, long until, long now) {
    long high = pool.high(key);
    long low = pool.low(key);
    float part = (float) remaining / Math.max(1, pool.meter().capacity());
    int first = firstIndex(low);
    int index = -1;
    float most = part;
    for (int i = first; i < first + WAYS; i++) {
      Entry here = entries.getAcquire(i);
      if (here != null && here.isOf(high, low)) {
        index = i;
        break;
      }
      float left = here == null || here.until <= now ? Float.MAX_VALUE : here.part;
      if (left > most) {
        most = left;
        index = i;
      }
    }
    if (index >= 0) {
      entries.setRelease(index, new Entry(high, low, remaining, until, part));
    }
  }

  /** Removes and returns the remaining amount of a window that has not ended; −1 if unknown. */
  long take(Pool pool, Key key, long now) {
    long high = pool.high(key);
    long low = pool.low(key);
    int first = firstIndex(low);
    for (int i = first; i < first + WAYS; i++) {
      Entry here = entries.getAcquire(i);
      if (here != null && here.isOf(high, low)) {
        return entries.compareAndSet(i, here, null) && now < here.until ? here.remaining : -1;
      }
    }
    return -1;
  }

  private static int firstIndex(long low) {
    return (int) (low * GOLDEN >>> (Long.SIZE - SET_BITS)) * WAYS;
  }
}
