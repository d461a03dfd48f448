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
 * Refusals that still hold, so that a caller who does not stop asking costs the store nothing.
 *
 * <p>A refusal with a retry-after holds for its cost and above, from the moment its call was sent,
 * until then, but for a second at most: a refund elsewhere or a raised limit is noticed within
 * that. Where answers need not be exact it holds for 50 ms at least, in which the bucket gathers
 * enough for the next lease to be worth its call. A new version of the limit is a new pool, and
 * knows nothing of old refusals.
 *
 * <p>Where something came back to a bucket, a mark takes the place of its refusal: one that was
 * under way at that moment says nothing of what is there now, and is not noted.
 *
 * <p>A table of fixed size in which a bucket has {@value #WAYS} places to be in. Where all hold
 * refusals of others, a further one is not noted: that costs a call each time it is met.
 */
public final class DenialTable {
  private static final int ENTRIES = 1 << 16;
  private static final int WAYS = 4;
  private static final long MAX_HOLD_MICROS = 1_000_000;

  /**
   * One refusal, or the mark in its place.
   *
   * @param high of the bucket
   * @param low of the bucket
   * @param intent callers that can wait may be admitted where others are not
   * @param sent when its call was; of a mark, when something came back
   * @param standing null for a mark
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
    /** The mark that something came back now. */
    static Denial mark(Pool pool, Key key, long now) {
      return new Denial(
          pool, pool.high(key), pool.low(key), Long.MAX_VALUE, Draw.Intent.LOOK, now, now, null);
    }

    boolean isAbout(Draw draw) {
      return pool == draw.pool() && isOf(pool, draw.key());
    }

    /** Whether it is of this bucket, under whatever numbers. */
    boolean isOf(Pool other, Key key) {
      return low == other.low(key) && high == other.high(key);
    }

    /** Whether a draw that cannot wait, or can, as the refused one, would be refused again. */
    boolean holdsFor(Draw draw) {
      return draw.amount() >= cost
          && (draw.intent() == intent
              || pool.meter().limit().algorithm() != Algorithm.LEAKY_BUCKET);
    }

    /** Whether this marks that something came back after a call was sent. */
    boolean outdates(long otherSent) {
      return status == null && otherSent < sent;
    }
  }

  private final AtomicReferenceArray<@Nullable Denial> entries =
      new AtomicReferenceArray<>(ENTRIES);

  /** The first of a bucket's places; the others follow. */
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

  /** Whether anything is known about a bucket; costs no look at the clock. */
  boolean hasEntryFor(Draw draw) {
    return entryFor(draw) != null;
  }

  /** The refusal that a draw meets again; null if it does not. */
  @Nullable LimitStatus find(Draw draw, long now) {
    Denial here = entryFor(draw);
    if (here == null
        || here.status == null
        || now >= here.until
        || draw.isLook()
        || draw.amount() > draw.pool().meter().capacity() // no waiting helps that
        || !here.holdsFor(draw)) {
      return null;
    }
    long passed = now - here.sent;
    long retryAfter = Math.max(here.status.retryAfterMicros() - passed, here.until - now);
    return here.status
        .edit()
        .reset(Math.max(0, here.status.resetMicros() - passed))
        .retryAfter(retryAfter)
        .source(DecisionSource.DENY_CACHE)
        .build();
  }

  /**
   * Remembers a refusal, if it is one that may be repeated.
   *
   * @return until when it holds; when it was sent if it does not
   */
  long record(Draw draw, LimitStatus standing, long sent) {
    Pool pool = draw.pool();
    if (standing.allowed()
        || standing.degraded()
        || draw.isLook()
        || standing.retryAfterMicros() <= 0
        || pool.countDenied()
        || pool.meter().limit().algorithm() == Algorithm.CONCURRENCY) {
      return sent;
    }
    int place = indexFor(pool, draw.key(), sent);
    if (place < 0) {
      return sent;
    }
    Denial before = entries.getAcquire(place);
    if (before != null && before.isOf(pool, draw.key()) && before.outdates(sent)) {
      return sent;
    }
    long holds = Math.max(standing.retryAfterMicros(), RetryPacing.of(pool));
    Denial denial =
        new Denial(
            pool,
            pool.high(draw.key()),
            pool.low(draw.key()),
            draw.amount(),
            draw.intent(),
            sent,
            sent + Math.min(holds, MAX_HOLD_MICROS),
            standing);
    return entries.compareAndSet(place, before, denial) ? denial.until : sent;
  }

  /** Where to note something of a bucket: where it is, or where nothing holds; else -1. */
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

  /** Forgets what is known about a bucket, under whatever numbers. */
  public void clear(Pool pool, Key key) {
    int first = first(pool, key);
    for (int place = first; place < first + WAYS; place++) {
      Denial here = entries.getAcquire(place);
      if (here != null && here.status != null && here.isOf(pool, key)) {
        entries.compareAndSet(place, here, null);
      }
    }
  }

  /**
   * Forgets what is known about a bucket, and what will be heard of calls that were sent before
   * now: something came back to it. What is known about others is worth more than the mark.
   */
  void onReturned(Pool pool, Key key, long now) {
    clear(pool, key);
    int place = indexFor(pool, key, now);
    if (place >= 0) {
      entries.compareAndSet(place, entries.getAcquire(place), Denial.mark(pool, key, now));
    }
  }
}
