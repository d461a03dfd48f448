package io.weir.rule.penalty;

import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose limits are tightened on this instance, and until when: a fixed table of 16,384
 * keys.
 *
 * <p>A key has four places, by its hash. If all are taken by keys that are still tightened, the one
 * whose time ends first is dropped: that key gets its full limit back early. A lookup takes no lock
 * and allocates nothing. While no key is tightened, it is one read.
 */
public final class TightenedKeys {
  /** A table that stays empty. */
  public static final TightenedKeys NONE = new TightenedKeys(SystemTime.INSTANCE);

  private static final int SETS = 4096;
  private static final int WAYS = 4;

  /** A key of a rule, by its fingerprint, tightened until a time on the monotonic clock. */
  private record Entry(long high, long low, long untilMicros) {
    boolean is(long high, long low) {
      return this.high == high && this.low == low;
    }
  }

  private final TimeSource time;
  private final AtomicReferenceArray<@Nullable Entry> entries =
      new AtomicReferenceArray<>(SETS * WAYS);

  /** The end of the last penalty; {@link Long#MIN_VALUE} if there never was one. */
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  public TightenedKeys(TimeSource time) {
    this.time = time;
  }

  /** Whether a key is tightened now. */
  public boolean contains(long high, long low) {
    return remainingMicros(high, low) > 0;
  }

  /** How long a key stays tightened, in µs; 0 if it is not. */
  public long remainingMicros(long high, long low) {
    long last = latest.get();
    if (last == Long.MIN_VALUE) {
      return 0;
    }
    long now = time.micros();
    if (now >= last) {
      return 0;
    }
    int from = first(low);
    for (int i = from; i < from + WAYS; i++) {
      Entry entry = entries.get(i);
      if (entry != null && entry.is(high, low)) {
        return Math.max(0, entry.untilMicros - now);
      }
    }
    return 0;
  }

  /** Tightens a key for this long. */
  public synchronized void add(long high, long low, long forMicros) {
    long until = time.micros() + forMicros;
    int from = first(low);
    int at = from;
    for (int i = from; i < from + WAYS; i++) {
      Entry entry = entries.get(i);
      if (entry == null || entry.is(high, low)) {
        at = i;
        break;
      }
      Entry chosen = entries.get(at);
      if (chosen != null && entry.untilMicros < chosen.untilMicros) {
        at = i;
      }
    }
    entries.set(at, new Entry(high, low, until));
    latest.accumulateAndGet(until, Math::max);
  }

  private static int first(long low) {
    return (int) (low & (SETS - 1)) * WAYS;
  }
}
