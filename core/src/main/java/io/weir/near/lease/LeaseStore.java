package io.weir.near.lease;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.near.deny.DenialTable;
import io.weir.near.fallback.FallbackStore;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The second step: takes from leases, and refills them before they run out.
 *
 * <pre>
 *   draw ─► lease covers it? ── yes ─► taken; if few tokens are left, refill in the background
 *              │ no
 *              ▼
 *           request in flight that would cover it? ── yes ─► wait for it, once
 *              │ no
 *              ▼
 *           request to the store, for the draw and a lease
 * </pre>
 *
 * <p>A call with several draws takes from leases first, and requests the rest from the store; if
 * that is refused, the leased tokens are put back. {@link LeaseAttempt} does this. The fast path
 * for one draw with a lease is here.
 */
public final class LeaseStore extends ForwardingStore {
  /**
   * Maximum renewals in flight: few enough that decisions hardly wait behind them, and enough for
   * thousands of leases in the second before they expire.
   */
  static final int MAX_RENEWALS = 32;

  private final FallbackStore next;
  private final TimeSource time;
  private final DenialTable denials;
  private final LeaseTable table;
  private final LeaseReturner returner;
  private final BoundedQueue<Lease> renewals = new BoundedQueue<>(MAX_RENEWALS, this::renew);
  private final Map<String, LongAdder> refills = new ConcurrentHashMap<>();

  /**
   * Leases on at most {@code capacity} buckets.
   *
   * @param denials the refusals of a bucket are cleared when tokens arrive
   */
  public LeaseStore(int capacity, DenialTable denials, TimeSource time, FallbackStore next) {
    super(next);
    this.next = next;
    this.time = time;
    this.denials = denials;
    this.table = new LeaseTable(capacity);
    this.returner = new LeaseReturner(next, time);
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    if (draws.size() == 1) {
      Draw draw = draws.get(0);
      Lease lease = draw.pool().leaseCap() > 0 ? table.find(draw.pool(), draw.key()) : null;
      if (lease != null && !draw.isLook()) {
        long now = time.micros();
        long receipt = lease.take(draw.amount(), now);
        if (receipt != StripedTokens.NOTHING) {
          long left = lease.leftAfter(receipt);
          refillIfLow(lease, left, now);
          return CompletableFuture.completedFuture(
              new TakeResult(true, List.of(lease.status(draw, left, now)), List.of()));
        }
      }
    }
    return new LeaseAttempt(this, ThreadLocalRandom.current().nextLong(), draws, false).decide();
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return new LeaseAttempt(this, reservation, draws, true).decide();
  }

  long now() {
    return time.micros();
  }

  /** The lease of a draw's bucket; null if it has none. */
  @Nullable Lease leaseFor(Draw draw, long now) {
    if (draw.pool().leaseCap() == 0) {
      return null;
    }
    return draw.isLook()
        ? table.find(draw.pool(), draw.key())
        : table.findOrNote(draw.pool(), draw.key(), now);
  }

  /**
   * Sends draws to the store; may throw.
   *
   * @param unavailable draws whose node is known not to answer now
   */
  CompletionStage<TakeResult> request(
      long reservation, List<Draw> draws, BitSet unavailable, boolean settledLater) {
    return next.decide(reservation, draws, unavailable, settledLater);
  }

  /** Puts unused tokens back; if the lease has ended, they go to the bucket at once. */
  void putBack(Lease lease, long amount, long receipt) {
    lease.putBack(amount, receipt);
    LeaseReport late = lease.isRetired() ? lease.lateReport() : null;
    if (late != null) {
      next.endLease(lease.pool, lease.key, late);
    }
  }

  /** Decides a call by {@code on_fail}, without a request to the store. */
  TakeResult decideLocally(long reservation, List<Draw> draws) {
    return next.decideLocally(reservation, draws, false);
  }

  // ---- tokens returned to buckets

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return super.settle(reservation, parts, terms)
        .thenApply(
            settled -> {
              parts.forEach(part -> onReturned(part.pool(), part.key()));
              return settled;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return super.refund(pool, key, amount).thenRun(() -> onReturned(pool, key));
  }

  /** Ends this instance's lease first, as its tokens would come back to a full bucket. */
  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return endBucket(pool, key)
        .thenCompose(ended -> super.grant(pool, key, amount))
        .whenComplete((done, problem) -> onReturned(pool, key));
  }

  /** Ends this instance's lease first, as its tokens would come back to a bucket that lent none. */
  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return endBucket(pool, key)
        .thenCompose(ended -> super.reset(pool, key))
        .whenComplete((done, problem) -> onReturned(pool, key));
  }

  /** Ends the leases on a bucket, under any numbers. */
  private CompletionStage<Void> endBucket(Pool pool, Key key) {
    return end(
        lease ->
            lease.pool.low(lease.key) == pool.low(key)
                && lease.pool.high(lease.key) == pool.high(key));
  }

  private void onReturned(Pool pool, Key key) {
    Lease lease = pool.leaseCap() > 0 ? table.find(pool, key) : null;
    if (lease != null) {
      lease.onReturned(time.micros());
    }
  }

  // ---- refills

  void refillIfLow(Lease lease, long left, long now) {
    if (lease.isLow(left, now)) {
      refill(lease, now);
    }
  }

  /** Refills in the background. No call waits for the result, so errors are reported here. */
  private void refill(Lease lease, long now) {
    Draw draw = new Draw(lease.pool, lease.key, 0, Mode.SHADOW, Draw.Intent.TAKE);
    LeaseRequest request = lease.claim(0, now);
    if (request != null) {
      requestLease(draw, request)
          .whenComplete(
              (result, problem) -> {
                applyResult(lease, request, draw, result, 0);
                if (problem != null) {
                  next.reportError(problem);
                }
              });
    }
  }

  /**
   * Sends a lease request. An error while sending counts as no answer: the claim must be released
   * either way.
   */
  private CompletionStage<TakeResult> requestLease(Draw draw, LeaseRequest request) {
    try {
      return request(0, List.of(draw.withLease(request.report)), new BitSet(), false);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Applies the result of a request with a lease report; null if it failed. */
  void applyResult(
      Lease lease, LeaseRequest request, Draw draw, @Nullable TakeResult result, int index) {
    try {
      onAnswer(lease, request, draw, result, index);
    } catch (RuntimeException | Error e) {
      lease.fail(request, e);
      next.reportError(e);
    }
  }

  private void onAnswer(
      Lease lease, LeaseRequest request, Draw draw, @Nullable TakeResult result, int index) {
    LimitStatus status = result == null ? draw.unanswered() : result.statuses().get(index);
    // A store that does not lend returns no grants: nothing was lent or kept.
    LeaseGrant grant =
        result == null || result.grants().isEmpty() ? LeaseGrant.NONE : result.grants().get(index);
    if (status.degraded()) {
      if (grant == LeaseGrant.NOT_SENT) {
        lease.restoreUnsent(request, status);
      } else {
        lease.markLost(request, status);
      }
      return;
    }
    refills.computeIfAbsent(lease.pool.rule(), rule -> new LongAdder()).increment();
    if (grant.lent() > 0) {
      denials.clear(lease.pool, lease.key);
    }
    if (grant.at() != 0) {
      lease.recordStoreTime(request, grant.at());
    }
    if (grant.lent() == 0 && status.allowed() && !result.taken()) {
      lease.applyRefused(request, grant, status);
    } else {
      lease.applyAnswer(request, grant, status);
    }
  }

  // ---- maintenance

  /**
   * Renews leases in use, ends idle ones, and removes empty ones: after 10 s, or after 1 s if the
   * table is full. A lease that waits for renewal stays usable; a call that needs more of it
   * requests a refill at once.
   */
  public void maintain() {
    long now = time.micros();
    boolean crowded = table.isFull();
    boolean anyForgotten = false;
    List<RankedLease> expiring = new ArrayList<>();
    List<Lease> idle = new ArrayList<>();
    for (Lease lease : table.all()) {
      switch (lease.maintenance(now, crowded)) {
        case RENEW -> expiring.add(new RankedLease(lease, lease.remainingLife(now)));
        case END -> idle.add(lease);
        case FORGET -> anyForgotten = true;
        case NONE -> {}
      }
    }
    renewals.replace(sorted(expiring.stream())); // waiting leases are still due
    if (returner.areDone()) { // otherwise some may be queued already
      returner.endIdle(idle);
    }
    if (anyForgotten) {
      table.removeIf(
          lease -> lease.maintenance(now, crowded) == Lease.Maintenance.FORGET && lease.retire());
    }
  }

  /** Renews a lease, unless a call has refilled it meanwhile. */
  private CompletionStage<?> renew(Lease lease) {
    long now = time.micros();
    if (lease.isNearExpiry(now)) {
      refill(lease, now);
    }
    LeaseRequest request = lease.request();
    return request == null ? CompletableFuture.completedFuture(null) : request.done;
  }

  /** A lease with its sort key, read once, as other threads change it during the sort. */
  private record RankedLease(Lease lease, long number) {}

  /** Sorted by the smallest number first. */
  private static List<Lease> sorted(Stream<RankedLease> leases) {
    return leases
        .sorted(Comparator.comparingLong(RankedLease::number))
        .map(RankedLease::lease)
        .toList();
  }

  /**
   * Returns all leases, those with the most tokens first. Later calls start with new leases.
   *
   * @return completes when no lease is left to be returned, earlier ones included
   */
  public CompletionStage<Void> endAll() {
    renewals.drop();
    return end(lease -> true);
  }

  /**
   * Returns the leases on some keys, of all rules.
   *
   * @return completes when no lease is left to be returned, those of other keys included
   */
  public CompletionStage<Void> endKeys(Predicate<Key> keys) {
    return end(lease -> keys.test(lease.key));
  }

  private CompletionStage<Void> end(Predicate<Lease> unwanted) {
    long now = time.micros();
    return returner.endForGood(
        sorted(
            table.removeIf(unwanted).stream()
                .map(lease -> new RankedLease(lease, -lease.left(now)))));
  }

  /** Also drops leases that wait to be renewed or returned. */
  @Override
  public void close() {
    renewals.drop();
    returner.stop();
    super.close();
  }

  /** Leased tokens that are left, by rule. */
  public Map<String, Long> leasedTokens() {
    long now = time.micros();
    Map<String, Long> byRule = new TreeMap<>();
    table.all().forEach(lease -> byRule.merge(lease.pool.rule(), lease.left(now), Long::sum));
    return byRule;
  }

  /** Requests with a lease report that the store answered, by rule. */
  public Map<String, Long> refills() {
    Map<String, Long> byRule = new TreeMap<>();
    refills.forEach((rule, count) -> byRule.put(rule, count.sum()));
    return byRule;
  }
}
