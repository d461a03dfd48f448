package io.weir.testkit.lease;

import io.weir.ExactNumbers;
import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.limit.PermitMeter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The shared store as the semantics describe it, in memory: every limit on one clock, leases
 * counted in the bucket's own state. What a store elsewhere must answer, this one answers.
 */
public final class LendingStore implements Store {
  private final LongSupplier clock;
  private final Map<Bucket, LendingBucket> ledgers = new HashMap<>();
  private final Map<Long, Long> settledUntil = new HashMap<>();

  private record Bucket(String rule, String slot, Key key) {}

  /**
   * An empty store.
   *
   * @param clock the store's own time, in µs
   */
  public LendingStore(LongSupplier clock) {
    this.clock = clock;
  }

  /** Loses everything, as a failover to an empty replica does. */
  public synchronized void lose() {
    ledgers.clear();
  }

  /** What is out on lease from one bucket. */
  public synchronized long out(Pool pool, Key key) {
    LendingBucket ledger = ledger(pool, key).copy();
    ledger.open(pool, key, clock.getAsLong());
    return ledger.loans.outstanding();
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(0, draws, false));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(reservation, draws, true));
  }

  private synchronized TakeResult decide(long reservation, List<Draw> draws, boolean stamped) {
    long now = clock.getAsLong();
    List<LendingDraw> visits = new ArrayList<>();
    boolean taken = true;
    boolean lends = false;
    for (Draw draw : draws) {
      boolean tells = !draw.lease().equals(LeaseReport.NONE);
      LendingBucket ledger = ledger(draw.pool(), draw.key());
      LendingDraw visit =
          new LendingDraw(draw, draw.isLook() && !tells ? ledger.copy() : ledger, now);
      taken &= visit.judge();
      lends |= tells;
      visits.add(visit);
    }
    for (LendingDraw visit : visits) {
      visit.act(taken, reservation);
    }
    List<TakeReceipt> stamps = new ArrayList<>();
    List<LeaseGrant> grants = new ArrayList<>();
    for (LendingDraw visit : visits) {
      if (stamped && taken) {
        stamps.add(visit.stamp());
      }
      if (lends) {
        grants.add(visit.grant());
      }
    }
    return new TakeResult(
        taken, visits.stream().map(LendingDraw::standing).toList(), stamps, grants);
  }

  private LendingBucket ledger(Pool pool, Key key) {
    return ledgers.computeIfAbsent(
        new Bucket(pool.rule(), pool.slot(), key), any -> new LendingBucket());
  }

  @Override
  public synchronized CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    long now = clock.getAsLong();
    settledUntil.values().removeIf(gone -> gone <= now);
    long within = ExactNumbers.micros(term.within());
    boolean late =
        !parts.isEmpty()
            && parts.stream().allMatch(part -> now - part.receipt().madeAt() >= within);
    long until = now + ExactNumbers.micros(term.marked());
    if (late || settledUntil.putIfAbsent(reservation, until) != null) {
      return CompletableFuture.completedFuture(SettlementResult.ALREADY);
    }
    parts.forEach(part -> opened(part).settle(part, now));
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachPart(parts, part -> opened(part).release(reservation));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachPart(parts, part -> opened(part).renew(reservation, clock.getAsLong()));
  }

  private synchronized CompletionStage<SettlementResult> eachPart(
      List<ReservedPart> parts, Predicate<ReservedPart> change) {
    boolean any = false;
    for (ReservedPart part : parts) {
      any |= part.pool().meter() instanceof PermitMeter && change.test(part);
    }
    return CompletableFuture.completedFuture(
        any ? SettlementResult.DONE : SettlementResult.ALREADY);
  }

  private LendingBucket opened(ReservedPart part) {
    LendingBucket ledger = ledger(part.pool(), part.key());
    ledger.open(part.pool(), part.key(), clock.getAsLong());
    return ledger;
  }

  @Override
  public synchronized CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    long now = clock.getAsLong();
    LendingBucket ledger = ledger(pool, key);
    ledger.open(pool, key, now);
    pool.meter().refund(ledger.cell, now, amount);
    ledger.leaveIfNothingIsWritten(now);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    LendingBucket ledger = ledgers.get(new Bucket(pool.rule(), pool.slot(), key));
    if (ledger != null) {
      ledger.endLease(pool, key, clock.getAsLong(), lease);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletionStage<List<String>> describe(List<Draw> draws) {
    long now = clock.getAsLong();
    List<String> texts = new ArrayList<>();
    for (Draw draw : draws) {
      LendingBucket ledger = ledger(draw.pool(), draw.key()).copy();
      ledger.open(draw.pool(), draw.key(), now);
      texts.add(draw.pool().meter().describe(ledger.cell, now, draw.amount()));
    }
    return CompletableFuture.completedFuture(texts);
  }

  @Override
  public void close() {}
}
