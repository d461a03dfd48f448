package io.weir.tier;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.Source;
import io.weir.Standing;
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
 * <p>A table of fixed size in which the latest refusal wins: forgetting one costs a call.
 */
final class Denials {
  private static final int PLACES = 1 << 14;
  private static final long LONGEST = 1_000_000;

  /**
   * One refusal, or the mark in its place.
   *
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
      @Nullable Standing standing) {
    /** The mark that something came back now. */
    static Denial mark(Pool pool, Key key, long now) {
      return new Denial(
          pool, key.high(), key.low(), Long.MAX_VALUE, Draw.Intent.LOOK, now, now, null);
    }

    boolean isAbout(Pool other, Key key) {
      return pool == other && isOf(key);
    }

    boolean isOf(Key key) {
      return low == key.low() && high == key.high();
    }

    /** Whether this marks that something came back after a call was sent. */
    boolean outdates(long otherSent) {
      return standing == null && otherSent < sent;
    }
  }

  private final AtomicReferenceArray<@Nullable Denial> places = new AtomicReferenceArray<>(PLACES);

  private static int place(Pool pool, Key key) {
    return (int) (pool.low(key) >>> 32) & (PLACES - 1);
  }

  /** Whether anything is known about a bucket; costs no look at the clock. */
  boolean knows(Draw draw) {
    Denial here = places.getAcquire(place(draw.pool(), draw.key()));
    return here != null && here.isAbout(draw.pool(), draw.key());
  }

  /** The refusal that a draw meets again; null if it does not. */
  @Nullable Standing find(Draw draw, long now) {
    Denial here = places.getAcquire(place(draw.pool(), draw.key()));
    if (here == null
        || !here.isAbout(draw.pool(), draw.key())
        || here.standing == null
        || now >= here.until
        || draw.amount() < here.cost
        || draw.amount() > draw.pool().meter().capacity() // no waiting helps that
        || draw.intent() != here.intent) {
      return null;
    }
    long passed = now - here.sent;
    long retryAfter = Math.max(here.standing.retryAfterMicros() - passed, here.until - now);
    return here.standing
        .edit()
        .reset(Math.max(0, here.standing.resetMicros() - passed))
        .retryAfter(retryAfter)
        .source(Source.DENY_CACHE)
        .build();
  }

  /** Remembers a refusal, if it is one that may be repeated. */
  void note(Draw draw, Standing standing, long sent) {
    Pool pool = draw.pool();
    if (standing.allowed()
        || standing.degraded()
        || draw.looks()
        || standing.retryAfterMicros() <= 0
        || pool.countDenied()
        || pool.meter().limit().algorithm() == Algorithm.CONCURRENCY) {
      return;
    }
    int place = place(pool, draw.key());
    Denial before = places.getAcquire(place);
    if (before != null && before.isOf(draw.key()) && before.outdates(sent)) {
      return;
    }
    long holds = Math.max(standing.retryAfterMicros(), Pace.of(pool));
    places.compareAndSet(
        place,
        before,
        new Denial(
            pool,
            draw.key().high(),
            draw.key().low(),
            draw.amount(),
            draw.intent(),
            sent,
            sent + Math.min(holds, LONGEST),
            standing));
  }

  /** Forgets what is known about a bucket, under whatever numbers. */
  void clear(Pool pool, Key key) {
    int place = place(pool, key);
    Denial here = places.getAcquire(place);
    if (here != null && here.standing != null && here.isOf(key)) {
      places.compareAndSet(place, here, null);
    }
  }

  /**
   * Forgets what is known about a bucket, and what will be heard of calls that were sent before
   * now: something came back to it. What is known about another is worth more than the mark.
   */
  void cameBack(Pool pool, Key key, long now) {
    int place = place(pool, key);
    Denial here = places.getAcquire(place);
    if (here == null || here.isOf(key) || now >= here.until) {
      places.compareAndSet(place, here, Denial.mark(pool, key, now));
    }
  }
}
