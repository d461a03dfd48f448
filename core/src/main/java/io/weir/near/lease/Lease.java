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
 * Tokens of one bucket that were taken in advance, and are handed out from here.
 *
 * <pre>
 *   claim ──► call under way ──► settle, lose, or unsay      one at a time
 *             (what is left goes on being handed out)
 * </pre>
 *
 * <p>Every call to the store begins a new term of the {@link StripedTokens}, because it reports
 * what has been handed out so far. A token that is put back later goes back to the bucket with the
 * next call; a window's only while that window lasts.
 *
 * <p>Whoever claims the lease may talk to the store about it until {@link #applyAnswer}; the last
 * group of fields is the claimant's. If the answer is never heard, the books there may or may not
 * have been changed; then what is left may be handed out until it is void, and nothing is said
 * about the past again. Nor is more asked for until an answer is heard: whatever is lent in one
 * that is lost is lent to nobody for an epoch or two, and a few of them would use up all that may
 * be lent.
 */
final class Lease {
  /** Refill when no more is left than goes in this time. */
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

  /** Hands out {@code cost} if it is there; a receipt, or {@link StripedTokens#NOTHING}. */
  long take(long cost, long now) {
    return now >= expiresAt ? StripedTokens.NOTHING : tokens.take(cost);
  }

  /** Takes back what was handed out by this receipt and not used. */
  void putBack(long cost, long receipt) {
    tokens.putBack(cost, receipt);
  }

  /** What could be handed out. */
  long left(long now) {
    return now >= expiresAt ? 0 : tokens.left();
  }

  /** As {@link #left} after a take just now, but for what other threads have at hand. */
  long leftAfter(long receipt) {
    return tokens.leftAfter(receipt);
  }

  /** Whether it is time to ask for more than is left, so that nobody has to wait for it. */
  boolean isLow(long left, long now) {
    return left < refillBelow && request == null && backoff.isOver(now);
  }

  /** The end of the window that tokens are from; 0 for buckets. */
  long window() {
    return window;
  }

  /** The time on the store's clock. */
  long storeTime(long now) {
    return now + storeClockOffset;
  }

  /** How the limit stands by what was heard last, for a draw that this lease admits. */
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

  /** How the limit stands while its bucket is known to be empty; null if it is not. */
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

  /** A refusal of the store's, with a wait that lasts until it would be asked again. */
  LimitStatus withBackoff(LimitStatus there, long now) {
    long wait = backoff.drainedFor(now);
    return there.retryAfterMicros() <= 0 || there.retryAfterMicros() >= wait
        ? there
        : there.edit().retryAfter(wait).build();
  }

  // ---- talking to the store

  /** The call under way. */
  @Nullable LeaseRequest request() {
    return request;
  }

  /**
   * The right to make the next call, with what to say in it.
   *
   * @param cost what the draw that rides along takes
   * @return null if a call is under way, or there is nothing to say
   */
  @Nullable LeaseRequest claim(long cost, long now) {
    if (!backoff.isOver(now) || retired || !claimed.compareAndSet(false, true)) {
      return null;
    }
    LeaseRequest next = null;
    try {
      if (!retired) { // it may be, by somebody who had claimed it just before
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
    boolean nothingToSay = worth == 0 && had == 0 && grant.held() == 0 && tokens.late() == 0;
    return nothingToSay ? null : buildRequest(cost, lastAnswerLost ? 0 : worth, now);
  }

  /**
   * Where the bucket alone may not have enough for a draw, it gets back what is in hand: together
   * they may. Not while the store may be away, when what is in hand is all there is.
   */
  private LeaseRequest buildRequest(long cost, long asked, long now) {
    boolean together =
        !lastAnswerLost && cost > countedTokens && cost > remainingInStore(snapshot, now) / 2;
    long late = tokens.takeLate();
    long returned = together ? tokens.clear() : 0;
    long kept = together ? 0 : tokens.beginTerm();
    countedTokens = kept;
    LeaseReport call =
        new LeaseReport(pool.leaseCap(), liveGrant(now), kept, late + returned, asked, 0);
    return new LeaseRequest(now, call, cost, returned);
  }

  /** A lease that is void is not spoken of: the store may have forgotten it by now, or not. */
  private LeaseGrant liveGrant(long now) {
    return now < expiresAt ? grant : grant.forgotten();
  }

  /** Hears what time it was on the store's clock when a call came there. */
  void recordStoreTime(LeaseRequest call, long there) {
    storeClockOffset = there - call.sent;
  }

  /** Takes in what the store said. */
  void applyAnswer(LeaseRequest call, LeaseGrant grant, LimitStatus standing) {
    applyGrant(call, grant, standing);
    backoff.onAnswer(call, grant, standing);
    release(call, standing);
  }

  /**
   * The same where another rule refused the call. Nothing is lent to such a call, which says
   * nothing of what there is.
   */
  void applyRefused(LeaseRequest call, LeaseGrant grant, LimitStatus standing) {
    applyGrant(call, grant, standing);
    release(call, standing);
  }

  private void applyGrant(LeaseRequest call, LeaseGrant grant, LimitStatus standing) {
    tokens.exchange(call.report.unused() - grant.kept(), grant.lent());
    if (grant.window() != window) {
      tokens.beginWindow();
    }
    countedTokens = tokens.left();
    lastAnswerLost = false;
    this.grant = grant;
    window = grant.window();
    snapshot = new BucketSnapshot(call.sent, standing.remaining(), standing.resetMicros());
    refillBelow = Math.min(demand.expectedIn(REFILL_AHEAD), countedTokens / 4);
    expiresAt = call.sent + grant.life();
  }

  /** Something came back to the bucket: whether it is empty, and lends, is to be asked again. */
  void onReturned(long now) {
    backoff.onReturned(now);
  }

  /** Whether something came back after a call was sent, of which its answer may not know. */
  boolean isOutdated(LeaseRequest call) {
    return backoff.isOutdated(call);
  }

  /** Nothing was heard: whatever was said may have been heard there, or not. */
  void markLost(LeaseRequest call, LimitStatus standing) {
    grant = grant.forgotten();
    lastAnswerLost = true;
    release(call, standing);
  }

  /** The call was never made: what it would have told and returned is still here. */
  void restoreUnsent(LeaseRequest call, LimitStatus standing) {
    tokens.restore(call.returned, call.report.returned() - call.returned);
    countedTokens = tokens.left();
    release(call, standing);
  }

  private void release(LeaseRequest call, LimitStatus standing) {
    request = null;
    claimed.set(false);
    call.done.complete(standing);
  }

  /** Lets go of a call after an error in taking in what came of it, wherever that was. */
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
   * Ends the lease: what to tell the store, or null if there is nothing, or a call is under way.
   *
   * @param forGood whether there will never be another on this bucket from here
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
          back == 0 && grant.held() == 0
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
   * Whether no call will be made about this lease any more; what it still gets is {@link
   * #lateReport}.
   */
  boolean isRetired() {
    return retired;
  }

  /** What to tell the store of what was put back after the lease had ended; null if nothing. */
  @Nullable LeaseReport lateReport() {
    long back = tokens.takeLate();
    return back == 0 ? null : new LeaseReport(pool.leaseCap(), grant.forgotten(), 0, back, 0, 0);
  }

  // ---- being looked after, by one thread

  /** What a lease needs that nobody asks for just now. */
  enum Maintenance {
    NONE,
    /** It is in use and about to become void. */
    RENEW,
    /** It is not in use, and others could use it. */
    END,
    /** There is nothing here to remember. */
    FORGET
  }

  private volatile long lastFingerprint;
  private long lastUsedAt = Long.MIN_VALUE;

  /**
   * What to do about this lease.
   *
   * @param crowded whether others wait for its place
   */
  Maintenance maintenance(long now, boolean crowded) {
    long print = tokens.fingerprint();
    if (print != lastFingerprint || lastUsedAt == Long.MIN_VALUE) {
      lastFingerprint = print;
      lastUsedAt = now;
    }
    long left = tokens.left();
    long quiet = now - lastUsedAt;
    if (left == 0 && tokens.late() == 0) {
      boolean owesAReport = grant.held() > pool.leaseCap() / 8;
      return quiet >= IDLE && owesAReport
          ? Maintenance.END
          : quiet >= (crowded ? IDLE : FORGET_AFTER) ? Maintenance.FORGET : Maintenance.NONE;
    }
    if (now >= expiresAt || quiet >= idleAfter(left)) {
      return Maintenance.END;
    }
    return isNearExpiry(now) ? Maintenance.RENEW : Maintenance.NONE;
  }

  /** Whether it is about to become void, and could last longer. */
  boolean isNearExpiry(long now) {
    long left = remainingLife(now);
    return left > 0 && left < IDLE && grant.life() == LeaseLedger.LIFE;
  }

  /** How long it may still be handed out; nothing or less if that is over. */
  long remainingLife(long now) {
    long until = expiresAt;
    return until == Long.MIN_VALUE ? Long.MIN_VALUE : until - now;
  }

  /** Whether anything was done with it since it was looked at. */
  boolean wasUsed() {
    return tokens.fingerprint() != lastFingerprint;
  }

  /** A lease is idle when it has lain about for twice as long as it was to last. */
  private long idleAfter(long left) {
    return Math.max(IDLE, Math.min(2 * demand.durationOf(left), LeaseLedger.LIFE - IDLE));
  }

  /** No call will be made about this lease any more; false if one is under way. */
  boolean retire() {
    if (!claimed.compareAndSet(false, true)) {
      return false;
    }
    // First, and in a new term, so that whoever puts something back from now on looks after it.
    retired = true;
    retired = tokens.beginTerm() == 0 && tokens.late() == 0;
    claimed.set(false);
    return retired;
  }
}
