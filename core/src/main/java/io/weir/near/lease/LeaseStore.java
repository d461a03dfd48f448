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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The second step: hands out tokens that were taken in advance, and gets more before they run out.
 *
 * <pre>
 *   draw ─► in hand? ── yes ─► handed out; if little is left, ask for more on the side
 *              │ no
 *              ▼
 *           a call under way that will bring some? ── yes ─► wait for it, once
 *              │ no
 *              ▼
 *           ask the store, and for a lease in the same breath
 * </pre>
 *
 * <p>A call with several draws takes what is in hand first, and asks the store for the rest; if
 * that is refused, what was handed out goes back. {@link LeaseAttempt} does this; here is the short
 * way of a call with one draw that meets a lease.
 */
public final class LeaseStore extends ForwardingStore {
  /**
   * Renewals under way. So few that decisions hardly wait behind them; so many that thousands are
   * through in the second before they would be void.
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
   * Leases on at most {@code most} buckets.
   *
   * @param denials to be cleared where tokens arrive
   */
  public LeaseStore(int most, DenialTable denials, TimeSource time, FallbackStore next) {
    super(next);
    this.next = next;
    this.time = time;
    this.denials = denials;
    this.table = new LeaseTable(most);
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

  /** The lease that a draw could be answered from; null if its bucket has none. */
  @Nullable Lease leaseFor(Draw draw, long now) {
    if (draw.pool().leaseCap() == 0) {
      return null;
    }
    return draw.isLook()
        ? table.find(draw.pool(), draw.key())
        : table.findOrNote(draw.pool(), draw.key(), now);
  }

  /**
   * Asks the store; may throw.
   *
   * @param away which draws it is known not to answer just now
   */
  CompletionStage<TakeResult> request(
      long reservation, List<Draw> draws, BitSet away, boolean settledLater) {
    return next.decide(reservation, draws, away, settledLater);
  }

  /** Takes back what was handed out and not used; to the bucket at once if the lease has ended. */
  void putBack(Lease lease, long amount, long receipt) {
    lease.putBack(amount, receipt);
    LeaseReport late = lease.isRetired() ? lease.lateReport() : null;
    if (late != null) {
      next.endLease(lease.pool, lease.key, late);
    }
  }

  /** Decides a call without asking the store for any of it. */
  TakeResult decideLocally(long reservation, List<Draw> draws) {
    return next.decideLocally(reservation, draws, false);
  }

  // ---- what comes back

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    return super.settle(reservation, parts, term)
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

  private void onReturned(Pool pool, Key key) {
    Lease lease = pool.leaseCap() > 0 ? table.find(pool, key) : null;
    if (lease != null) {
      lease.onReturned(time.micros());
    }
  }

  // ---- getting more

  void refillIfLow(Lease lease, long left, long now) {
    if (lease.isLow(left, now)) {
      refill(lease, now);
    }
  }

  /** Asks for more on the side; no caller waits for it who would tell of an error. */
  private void refill(Lease lease, long now) {
    Draw draw = new Draw(lease.pool, lease.key, 0, Mode.SHADOW, Draw.Intent.TAKE);
    LeaseRequest flight = lease.claim(0, now);
    if (flight != null) {
      requestLease(draw, flight)
          .whenComplete(
              (taking, problem) -> {
                settle(lease, flight, draw, taking, 0);
                if (problem != null) {
                  next.reportError(problem);
                }
              });
    }
  }

  /** A failure to ask is a failure to answer: the claim must be let go either way. */
  private CompletionStage<TakeResult> requestLease(Draw draw, LeaseRequest flight) {
    try {
      return request(0, List.of(draw.withLease(flight.report)), new BitSet(), false);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Takes in what came of a call that spoke of a lease; nothing, if it failed. */
  void settle(Lease lease, LeaseRequest flight, Draw draw, @Nullable TakeResult taking, int place) {
    try {
      onAnswer(lease, flight, draw, taking, place);
    } catch (RuntimeException | Error e) {
      lease.fail(flight, e);
      next.reportError(e);
    }
  }

  private void onAnswer(
      Lease lease, LeaseRequest flight, Draw draw, @Nullable TakeResult taking, int place) {
    LimitStatus standing = taking == null ? draw.unanswered() : taking.statuses().get(place);
    // A store that does not lend says nothing of leases: nothing was lent, nothing can be kept.
    LeaseGrant grant =
        taking == null || taking.grants().isEmpty() ? LeaseGrant.NONE : taking.grants().get(place);
    if (standing.degraded()) {
      if (grant == LeaseGrant.NOT_SENT) {
        lease.restoreUnsent(flight, standing);
      } else {
        lease.markLost(flight, standing);
      }
      return;
    }
    refills.computeIfAbsent(lease.pool.rule(), rule -> new LongAdder()).increment();
    if (grant.lent() > 0) {
      denials.clear(lease.pool, lease.key);
    }
    if (grant.at() != 0) {
      lease.recordStoreTime(flight, grant.at());
    }
    if (grant.lent() == 0 && standing.allowed() && !taking.taken()) {
      lease.applyRefused(flight, grant, standing);
    } else {
      lease.applyAnswer(flight, grant, standing);
    }
  }

  // ---- looking after leases that nobody asks for

  /**
   * Renews what is in use, ends what is not, and forgets what is long gone, or just gone where
   * there is no room. A lease that waits to be renewed is whole: whoever needs more of it asks at
   * once.
   */
  public void maintain() {
    long now = time.micros();
    boolean crowded = table.isFull();
    boolean anyGone = false;
    List<RankedLease> aging = new ArrayList<>();
    List<Lease> idle = new ArrayList<>();
    for (Lease lease : table.all()) {
      switch (lease.maintenance(now, crowded)) {
        case RENEW -> aging.add(new RankedLease(lease, lease.remainingLife(now)));
        case END -> idle.add(lease);
        case FORGET -> anyGone = true;
        case NONE -> {}
      }
    }
    renewals.replace(sorted(aging.stream())); // those that still wait are due still
    if (returner.areDone()) { // or else some of them may be there already
      returner.endIdle(idle);
    }
    if (anyGone) {
      table.removeIf(
          lease -> lease.maintenance(now, crowded) == Lease.Maintenance.FORGET && lease.retire());
    }
  }

  /** Renews a lease, unless somebody has asked for more of it meanwhile. */
  private CompletionStage<?> renew(Lease lease) {
    long now = time.micros();
    if (lease.isNearExpiry(now)) {
      refill(lease, now);
    }
    LeaseRequest flight = lease.request();
    return flight == null ? CompletableFuture.completedFuture(null) : flight.done;
  }

  /**
   * A lease with a number of its own at some moment: others may change it while it is sorted by.
   */
  private record RankedLease(Lease lease, long number) {}

  /** Those with the least number first. */
  private static List<Lease> sorted(Stream<RankedLease> leases) {
    return leases
        .sorted(Comparator.comparingLong(RankedLease::number))
        .map(RankedLease::lease)
        .toList();
  }

  /**
   * Gives everything back, those with most in hand first. Whoever asks from now on begins afresh.
   *
   * @return completes when nothing is left to be given back, of earlier times either
   */
  public CompletionStage<Void> endAll() {
    long now = time.micros();
    renewals.drop();
    return returner.endForGood(
        sorted(
            table.removeIf(lease -> true).stream()
                .map(lease -> new RankedLease(lease, -lease.left(now)))));
  }

  /** Also gives up what still waits to be renewed or given back. */
  @Override
  public void close() {
    renewals.drop();
    returner.stop();
    super.close();
  }

  /** Tokens in hand, by rule. */
  public Map<String, Long> leasedTokens() {
    long now = time.micros();
    Map<String, Long> byRule = new TreeMap<>();
    table.all().forEach(lease -> byRule.merge(lease.pool.rule(), lease.left(now), Long::sum));
    return byRule;
  }

  /** Calls that spoke of leases and that the store answered, by rule. */
  public Map<String, Long> refills() {
    Map<String, Long> byRule = new TreeMap<>();
    refills.forEach((rule, count) -> byRule.put(rule, count.sum()));
    return byRule;
  }
}
