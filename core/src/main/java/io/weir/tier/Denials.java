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
 * <p>A table of fixed size in which the latest refusal wins: forgetting one costs a call.
 */
final class Denials {
  private static final int PLACES = 1 << 14;
  private static final long LONGEST = 1_000_000;

  /**
   * One refusal.
   *
   * @param intent callers that can wait may be admitted where others are not
   */
  private record Denial(
      Pool pool,
      long high,
      long low,
      long cost,
      Draw.Intent intent,
      long sent,
      long until,
      Standing standing) {
    boolean isAbout(Pool other, Key key) {
      return low == key.low() && high == key.high() && pool == other;
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
        || now >= here.until
        || draw.amount() < here.cost
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
    long holds = Math.max(standing.retryAfterMicros(), Pace.of(pool));
    places.setRelease(
        place(pool, draw.key()),
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

  /** Forgets what is known about a bucket, under whatever numbers: something came back to it. */
  void clear(Pool pool, Key key) {
    int place = place(pool, key);
    Denial here = places.getAcquire(place);
    if (here != null && here.low == key.low() && here.high == key.high()) {
      places.compareAndSet(place, here, null);
    }
  }
}
