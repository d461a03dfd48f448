package io.weir.near.lease;

import io.weir.Algorithm;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.limit.LeaseLedger;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of one bucket that were leased from the store and are handed out locally.
 *
 * <pre>
 *   claim ──► request in flight ──► applyAnswer, markLost or restoreUnsent      one at a time
 *             (remaining tokens are still handed out)
 * </pre>
 *
 * <p>Every request to the store begins a new term of the {@link StripedTokens}, because it reports
 * the tokens handed out so far. A token that is put back after its term goes back to the bucket
 * with the next request; a window's token only while that window lasts.
 *
 * <p>The thread that claims the lease may make one request about it, until {@link #applyAnswer}.
 * The last group of fields belongs to that thread. If the answer is lost, the store may or may not
 * have applied the report. Then the remaining tokens may be handed out until the lease expires, but
 * their use is not reported again. No more tokens are requested until an answer arrives: tokens
 * lent in a lost answer are out of use for one or two epochs, and a few of those would use up the
 * lease cap.
 */
final class Lease {
  /** Refill when the remaining tokens last for less than this, in µs. */
  private static final long REFILL_AHEAD = 25_000;

  private static final long IDLE = 1_000_000;
  private static final long FORGET_AFTER = 10_000_000;

  final Pool pool;
  final Key key;
  final long high;
  final long low;
  private final boolean bucket;
  private final LeaseBackoff backoff;
  private final StripedTokens tokens = new StripedTokens();
  private volatile long expiresAt = Long.MIN_VALUE;
  private volatile long refillBelow;
  private volatile long window;
  private volatile BucketSnapshot snapshot;
  private volatile long storeClockOffset;
  private volatile @Nullable LeaseRequest request;
  private volatile boolean retired;

  private final AtomicBoolean claimed = new AtomicBoolean();
  private final DemandEstimator demand;
  private volatile LeaseGrant grant = LeaseGrant.NONE;
  private long countedTokens;
  private boolean lastAnswerLost;

  Lease(Pool pool, Key key, long now) {
    this.pool = pool;
    this.key = key;
    this.high = key.high();
    this.low = key.low();
    this.bucket = pool.meter().limit().algorithm() == Algorithm.TOKEN_BUCKET;
    this.backoff = new LeaseBackoff(pool);
    this.snapshot = new BucketSnapshot(now, pool.meter().capacity(), 0);
    this.demand = new DemandEstimator(now);
  }

  // ---- handing out

  /**
   * Takes {@code cost} tokens if available; returns a receipt, or {@link StripedTokens#NOTHING}.
   */
  long take(long cost, long now) {
    return now >= expiresAt ? StripedTokens.NOTHING : tokens.take(cost);
  }

  /** Returns unused tokens that were taken with this receipt. */
  void putBack(long cost, long receipt) {
    tokens.putBack(cost, receipt);
  }

  /** Tokens available. */
  long left(long now) {
    return now >= expiresAt ? 0 : tokens.left();
  }

  /** As {@link #left} after a take, without the tokens in the stripes of other threads. */
  long leftAfter(long receipt) {
    return tokens.leftAfter(receipt);
  }

  /** Whether to request a refill now, so that no call has to wait for it. */
  boolean isLow(long left, long now) {
    return left < refillBelow && request == null && backoff.isOver(now);
  }

  /** End of the window that the tokens belong to; 0 for buckets. */
  long window() {
    return window;
  }

  /** The time on the store's clock. */
  long storeTime(long now) {
    return now + storeClockOffset;
  }

  /** The status for a draw that this lease admits, by the last answer of the store. */
  LimitStatus status(Draw draw, long left, long now) {
    BucketSnapshot last = snapshot;
    return draw.statusBuilder()
        .allowed(true)
        .remaining(Math.min(pool.meter().capacity(), remainingInStore(last, now) + left))
        .reset(last.untilReset(now))
        .source(DecisionSource.LEASE)
        .build();
  }

  private long remainingInStore(BucketSnapshot last, long now) {
    return bucket ? last.refilled(pool.meter().capacity(), now) : last.remaining();
  }

  /** The refusal while the bucket is known to be empty; else null. */
  @Nullable LimitStatus drainedStatus(Draw draw, long now) {
    long wait = backoff.drainedFor(now);
    return wait == 0
        ? null
        : draw.statusBuilder()
            .remaining(left(now))
            .reset(snapshot.untilReset(now))
            .retryAfter(wait)
            .source(DecisionSource.LEASE)
            .build();
  }

  /** A refusal by the store, with a retry-after that lasts at least until the back-off ends. */
  LimitStatus withBackoff(LimitStatus there, long now) {
    long wait = backoff.drainedFor(now);
    return there.retryAfterMicros() <= 0 || there.retryAfterMicros() >= wait
        ? there
        : there.edit().retryAfter(wait).build();
  }

  // ---- requests to the store

  /** The request in flight, or null. */
  @Nullable LeaseRequest request() {
    return request;
  }

  /**
   * Claims the lease and builds the next request.
   *
   * @param cost the amount of the draw that carries the report
   * @return null if a request is in flight, or there is nothing to report or request
   */
  @Nullable LeaseRequest claim(long cost, long now) {
    if (!backoff.isOver(now) || retired || !claimed.compareAndSet(false, true)) {
      return null;
    }
    LeaseRequest next = null;
    try {
      if (!retired) { // may have been retired just before the claim
        next = requestIfWorthwhile(cost, now);
        request = next;
      }
      return next;
    } finally {
      if (next == null) {
        claimed.set(false);
      }
    }
  }

  private @Nullable LeaseRequest requestIfWorthwhile(long cost, long now) {
    long had = tokens.left();
    demand.add(Math.max(0, countedTokens - had) + cost, now);
    countedTokens = had;
    long worth = Math.max(0, Math.min(demand.target(), pool.leaseCap()) - had);
    boolean nothingToSay = worth == 0 && had == 0 && grant.tokens() == 0 && tokens.late() == 0;
    return nothingToSay ? null : buildRequest(cost, lastAnswerLost ? 0 : worth, now);
  }

  /**
   * Builds a request. If the bucket alone may not cover the draw, the leased tokens are returned
   * with it: together they may be enough. Not while the store may be unavailable, when the leased
   * tokens are all there is.
   */
  private LeaseRequest buildRequest(long cost, long requested, long now) {
    boolean together =
        !lastAnswerLost && cost > countedTokens && cost > remainingInStore(snapshot, now) / 2;
    long late = tokens.takeLate();
    long returned = together ? tokens.clear() : 0;
    long unused = together ? 0 : tokens.beginTerm();
    countedTokens = unused;
    LeaseReport call =
        new LeaseReport(pool.leaseCap(), liveGrant(now), unused, late + returned, requested, 0);
    return new LeaseRequest(now, call, cost, returned);
  }

  /**
   * The grant to report. An expired grant is not reported: the store may already have dropped it.
   */
  private LeaseGrant liveGrant(long now) {
    return now < expiresAt ? grant : grant.forgotten();
  }

  /** Records the store's clock at the time of a request. */
  void recordStoreTime(LeaseRequest call, long there) {
    storeClockOffset = there - call.sent;
  }

  /** Applies the store's answer. */
  void applyAnswer(LeaseRequest call, LeaseGrant grant, LimitStatus status) {
    applyGrant(call, grant, status);
    backoff.onAnswer(call, grant, status);
    release(call, status);
  }

  /**
   * As {@link #applyAnswer} if another rule refused the call. The store lends nothing to a refused
   * call, so the answer does not start a back-off.
   */
  void applyRefused(LeaseRequest call, LeaseGrant grant, LimitStatus status) {
    applyGrant(call, grant, status);
    release(call, status);
  }

  private void applyGrant(LeaseRequest call, LeaseGrant grant, LimitStatus status) {
    tokens.exchange(call.report.unused() - grant.kept(), grant.lent());
    if (grant.window() != window) {
      tokens.beginWindow();
    }
    countedTokens = tokens.left();
    lastAnswerLost = false;
    this.grant = grant;
    window = grant.window();
    snapshot = new BucketSnapshot(call.sent, status.remaining(), status.resetMicros());
    refillBelow = Math.min(demand.expectedIn(REFILL_AHEAD), countedTokens / 4);
    expiresAt = call.sent + grant.life();
  }

  /** Tokens were returned to the bucket, so the back-off ends. */
  void onReturned(long now) {
    backoff.onReturned(now);
  }

  /** Whether tokens were returned after a request was sent; its answer may not include them. */
  boolean isOutdated(LeaseRequest call) {
    return backoff.isOutdated(call);
  }

  /** No answer arrived: the store may or may not have applied the report. */
  void markLost(LeaseRequest call, LimitStatus status) {
    grant = grant.forgotten();
    lastAnswerLost = true;
    release(call, status);
  }

  /** The request was not sent: restores the tokens that it reported and returned. */
  void restoreUnsent(LeaseRequest call, LimitStatus status) {
    tokens.restore(call.returned, call.report.returned() - call.returned);
    countedTokens = tokens.left();
    release(call, status);
  }

  private void release(LeaseRequest call, LimitStatus status) {
    request = null;
    claimed.set(false);
    call.done.complete(status);
  }

  /** Ends a request after an error while its result was applied. */
  void fail(LeaseRequest call, Throwable error) {
    if (request == call) {
      grant = LeaseGrant.NONE;
      lastAnswerLost = true;
      request = null;
      claimed.set(false);
      call.done.completeExceptionally(error);
    }
  }

  /**
   * Ends the lease and returns the last report for the store; null if there is nothing to report,
   * or a request is in flight.
   *
   * @param forGood whether this instance will not lease this bucket through this object again
   */
  @Nullable LeaseReport end(boolean forGood, long now) {
    if (!claimed.compareAndSet(false, true)) {
      return null;
    }
    try {
      if (forGood) {
        retired = true;
      }
      long back = tokens.clear() + tokens.takeLate();
      LeaseReport last =
          back == 0 && grant.tokens() == 0
              ? null
              : new LeaseReport(pool.leaseCap(), liveGrant(now), 0, back, 0, 0);
      grant = grant.forgotten();
      countedTokens = 0;
      expiresAt = Long.MIN_VALUE;
      return last;
    } finally {
      claimed.set(false);
    }
  }

  /**
   * Whether no further request will be made about this lease; tokens put back later go into {@link
   * #lateReport}.
   */
  boolean isRetired() {
    return retired;
  }

  /** A report of tokens that were put back after the lease had ended; null if none. */
  @Nullable LeaseReport lateReport() {
    long back = tokens.takeLate();
    return back == 0 ? null : new LeaseReport(pool.leaseCap(), grant.forgotten(), 0, back, 0, 0);
  }

  // ---- maintenance, by one thread

  /** The maintenance that a lease needs beside calls. */
  enum Maintenance {
    NONE,
    /** In use and about to expire. */
    RENEW,
    /** Not in use; other instances could use the tokens. */
    END,
    /** Empty, with nothing to report. */
    FORGET
  }

  private volatile long lastFingerprint;
  private long lastUsedAt = Long.MIN_VALUE;

  /**
   * The maintenance that is due.
   *
   * @param crowded whether the table is full, so that other keys need the place
   */
  Maintenance maintenance(long now, boolean crowded) {
    long fingerprint = tokens.fingerprint();
    if (fingerprint != lastFingerprint || lastUsedAt == Long.MIN_VALUE) {
      lastFingerprint = fingerprint;
      lastUsedAt = now;
    }
    long left = tokens.left();
    long idleFor = now - lastUsedAt;
    if (left == 0 && tokens.late() == 0) {
      boolean owesAReport = grant.tokens() > pool.leaseCap() / 8;
      return idleFor >= IDLE && owesAReport
          ? Maintenance.END
          : idleFor >= (crowded ? IDLE : FORGET_AFTER) ? Maintenance.FORGET : Maintenance.NONE;
    }
    if (now >= expiresAt || idleFor >= idleAfter(left)) {
      return Maintenance.END;
    }
    return isNearExpiry(now) ? Maintenance.RENEW : Maintenance.NONE;
  }

  /** Whether the lease is about to expire and can be renewed. */
  boolean isNearExpiry(long now) {
    long left = remainingLife(now);
    return left > 0 && left < IDLE && grant.life() == LeaseLedger.LIFE;
  }

  /** Time until the lease expires, in µs; 0 or less if it has. */
  long remainingLife(long now) {
    long until = expiresAt;
    return until == Long.MIN_VALUE ? Long.MIN_VALUE : until - now;
  }

  /** Whether tokens were taken or put back since the last maintenance. */
  boolean wasUsed() {
    return tokens.fingerprint() != lastFingerprint;
  }

  /**
   * Time without use after which a lease counts as idle: twice as long as its tokens should last,
   * between 1 s and the life of a lease less 1 s.
   */
  private long idleAfter(long left) {
    return Math.max(IDLE, Math.min(2 * demand.durationOf(left), LeaseLedger.LIFE - IDLE));
  }

  /** Retires an empty lease; false if a request is in flight or tokens are left. */
  boolean retire() {
    if (!claimed.compareAndSet(false, true)) {
      return false;
    }
    // Set before the check and in a new term: a thread that puts tokens back later then sees the
    // flag and returns them to the store.
    retired = true;
    retired = tokens.beginTerm() == 0 && tokens.late() == 0;
    claimed.set(false);
    return retired;
  }
}
