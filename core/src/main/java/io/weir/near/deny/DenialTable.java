package io.weir.near.deny;

import io.weir.Algorithm;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that still hold, so that a client that retries without waiting costs the store nothing.
 *
 * <p>A refusal with a retry-after holds for its cost and above, from the time its request was sent
 * until the retry-after ends, for 1 s at most: a refund on another instance or a raised limit is
 * noticed within that time. Where a rule permits approximate answers, a refusal holds for at least
 * 50 ms, in which the bucket refills enough for the next lease to be worth a request. A new version
 * of a limit is a new pool and has no cached refusals.
 *
 * <p>After a refund to a bucket, a mark replaces its refusal. A refusal whose request was sent
 * before the mark is outdated and is not recorded.
 *
 * <p>The table has a fixed size; a bucket may use any of {@value #WAYS} entries. If all hold
 * refusals of other buckets, a further refusal is not recorded; each such call then costs a
 * request.
 */
public final class DenialTable {
  private static final int ENTRIES = 1 << 16;
  private static final int WAYS = 4;
  private static final long MAX_HOLD_MICROS = 1_000_000;

  /**
   * One refusal, or the mark that replaces it.
   *
   * @param high upper half of the bucket's fingerprint
   * @param low lower half of the bucket's fingerprint
   * @param intent a draw that may wait can be admitted where one that may not is refused
   * @param sent when the request was sent; for a mark, when the refund was made
   * @param status null for a mark
   */
  private record Denial(
      Pool pool,
      long high,
      long low,
      long cost,
      Draw.Intent intent,
      long sent,
      long until,
      @Nullable LimitStatus status) {
    /** The mark of a refund made now. */
    static Denial mark(Pool pool, Key key, long now) {
      return new Denial(
          pool, pool.high(key), pool.low(key), Long.MAX_VALUE, Draw.Intent.LOOK, now, now, null);
    }

    boolean isAbout(Draw draw) {
      return pool == draw.pool() && isOf(pool, draw.key());
    }

    /** Whether this entry is for this bucket, under any version of the limit. */
    boolean isOf(Pool other, Key key) {
      return low == other.low(key) && high == other.high(key);
    }

    /**
     * Whether this refusal also applies to a draw: at least the same cost and, for leaky buckets,
     * the same intent.
     */
    boolean holdsFor(Draw draw) {
      return draw.amount() >= cost
          && (draw.intent() == intent
              || pool.meter().limit().algorithm() != Algorithm.LEAKY_BUCKET);
    }

    /** Whether this is a mark that is newer than a request. */
    boolean outdates(long otherSent) {
      return status == null && otherSent < sent;
    }
  }

  private final AtomicReferenceArray<@Nullable Denial> entries =
      new AtomicReferenceArray<>(ENTRIES);

  /** The index of a bucket's first entry; the others follow. */
  private static int first(Pool pool, Key key) {
    return (int) (pool.low(key) >>> 32) & (ENTRIES - WAYS);
  }

  private @Nullable Denial entryFor(Draw draw) {
    int first = first(draw.pool(), draw.key());
    for (int way = 0; way < WAYS; way++) {
      Denial here = entries.getAcquire(first + way);
      if (here != null && here.isAbout(draw)) {
        return here;
      }
    }
    return null;
  }

  /** Whether there is an entry for a bucket; does not read the clock. */
  boolean hasEntryFor(Draw draw) {
    return entryFor(draw) != null;
  }

  /** The cached refusal of a draw, or null. */
  @Nullable LimitStatus find(Draw draw, long now) {
    Denial here = entryFor(draw);
    if (here == null
        || here.status == null
        || now >= here.until
        || draw.isLook()
        || draw.amount() > draw.pool().meter().capacity() // can never be admitted
        || !here.holdsFor(draw)) {
      return null;
    }
    long elapsed = now - here.sent;
    long retryAfter = Math.max(here.status.retryAfterMicros() - elapsed, here.until - now);
    return here.status
        .edit()
        .reset(Math.max(0, here.status.resetMicros() - elapsed))
        .retryAfter(retryAfter)
        .source(DecisionSource.DENY_CACHE)
        .build();
  }

  /**
   * Records a refusal if it may be cached.
   *
   * @return until when it holds; {@code sent} if it is not cached
   */
  long record(Draw draw, LimitStatus status, long sent) {
    Pool pool = draw.pool();
    if (status.allowed()
        || status.degraded()
        || draw.isLook()
        || status.retryAfterMicros() <= 0
        || pool.countDenied()
        || pool.meter().limit().algorithm() == Algorithm.CONCURRENCY) {
      return sent;
    }
    int index = indexFor(pool, draw.key(), sent);
    if (index < 0) {
      return sent;
    }
    Denial before = entries.getAcquire(index);
    if (before != null && before.isOf(pool, draw.key()) && before.outdates(sent)) {
      return sent;
    }
    long holds = Math.max(status.retryAfterMicros(), RetryPacing.of(pool));
    Denial denial =
        new Denial(
            pool,
            pool.high(draw.key()),
            pool.low(draw.key()),
            draw.amount(),
            draw.intent(),
            sent,
            sent + Math.min(holds, MAX_HOLD_MICROS),
            status);
    return entries.compareAndSet(index, before, denial) ? denial.until : sent;
  }

  /** The index for a bucket: its own entry, else a free or expired one, else -1. */
  private int indexFor(Pool pool, Key key, long now) {
    int first = first(pool, key);
    int free = -1;
    for (int way = 0; way < WAYS; way++) {
      Denial here = entries.getAcquire(first + way);
      if (here != null && here.isOf(pool, key)) {
        return first + way;
      }
      if (here == null || (now >= here.until && free < 0)) {
        free = first + way;
      }
    }
    return free;
  }

  /** Removes a bucket's refusal, under any version of the limit. */
  public void clear(Pool pool, Key key) {
    int first = first(pool, key);
    for (int index = first; index < first + WAYS; index++) {
      Denial here = entries.getAcquire(index);
      if (here != null && here.status != null && here.isOf(pool, key)) {
        entries.compareAndSet(index, here, null);
      }
    }
  }

  /**
   * Removes a bucket's refusal and marks that tokens were returned now, so that refusals of earlier
   * requests are not recorded. The mark does not replace refusals of other buckets.
   */
  void onReturned(Pool pool, Key key, long now) {
    clear(pool, key);
    int index = indexFor(pool, key, now);
    if (index >= 0) {
      entries.compareAndSet(index, entries.getAcquire(index), Denial.mark(pool, key, now));
    }
  }
}
