package io.weir.testkit.lease;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.base.Micros;
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
 * The shared store as the semantics define it, in memory: all limits on one clock, leases counted
 * in the bucket's own state. It is the reference for stores in other processes.
 */
public final class LendingStore implements Store {
  private final LongSupplier clock;
  private final Map<Bucket, LendingBucket> buckets = new HashMap<>();
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

  /** Loses all state, as a failover to an empty replica does. */
  public synchronized void lose() {
    buckets.clear();
  }

  /** Tokens of one bucket that are on lease. */
  public synchronized long out(Pool pool, Key key) {
    LendingBucket bucket = bucket(pool, key).copy();
    bucket.open(pool, key, clock.getAsLong());
    return bucket.leases.outstanding();
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(0, draws, false));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(reservation, draws, true));
  }

  private synchronized TakeResult decide(long reservation, List<Draw> draws, boolean withReceipts) {
    long now = clock.getAsLong();
    List<LendingDraw> lendingDraws = new ArrayList<>();
    boolean taken = true;
    boolean lends = false;
    for (Draw draw : draws) {
      boolean reports = !draw.lease().equals(LeaseReport.NONE);
      LendingBucket bucket = bucket(draw.pool(), draw.key());
      LendingDraw lendingDraw =
          new LendingDraw(draw, draw.isLook() && !reports ? bucket.copy() : bucket, now);
      taken &= lendingDraw.judge();
      lends |= reports;
      lendingDraws.add(lendingDraw);
    }
    for (LendingDraw lendingDraw : lendingDraws) {
      lendingDraw.act(taken, reservation);
    }
    List<TakeReceipt> receipts = new ArrayList<>();
    List<LeaseGrant> grants = new ArrayList<>();
    for (LendingDraw lendingDraw : lendingDraws) {
      if (withReceipts && taken) {
        receipts.add(lendingDraw.receipt());
      }
      if (lends) {
        grants.add(lendingDraw.grant());
      }
    }
    return new TakeResult(
        taken, lendingDraws.stream().map(LendingDraw::status).toList(), receipts, grants);
  }

  private LendingBucket bucket(Pool pool, Key key) {
    return buckets.computeIfAbsent(
        new Bucket(pool.rule(), pool.slot(), key), any -> new LendingBucket());
  }

  @Override
  public synchronized CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    long now = clock.getAsLong();
    settledUntil.values().removeIf(gone -> gone <= now);
    long within = Micros.of(terms.within());
    boolean late =
        !parts.isEmpty()
            && parts.stream().allMatch(part -> now - part.receipt().madeAt() >= within);
    long until = now + Micros.of(terms.marked());
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
    LendingBucket bucket = bucket(part.pool(), part.key());
    bucket.open(part.pool(), part.key(), clock.getAsLong());
    return bucket;
  }

  @Override
  public synchronized CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    long now = clock.getAsLong();
    LendingBucket bucket = bucket(pool, key);
    bucket.open(pool, key, now);
    pool.meter().refund(bucket.state, now, amount);
    bucket.leaveIfNothingIsWritten(now);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    buckets.remove(new Bucket(pool.rule(), pool.slot(), key));
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  @Override
  public synchronized CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    LendingBucket bucket = buckets.get(new Bucket(pool.rule(), pool.slot(), key));
    if (bucket != null) {
      bucket.endLease(pool, key, clock.getAsLong(), lease);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletionStage<List<String>> describe(List<Draw> draws) {
    long now = clock.getAsLong();
    List<String> texts = new ArrayList<>();
    for (Draw draw : draws) {
      LendingBucket bucket = bucket(draw.pool(), draw.key()).copy();
      bucket.open(draw.pool(), draw.key(), now);
      texts.add(draw.pool().meter().describe(bucket.state, now, draw.amount()));
    }
    return CompletableFuture.completedFuture(texts);
  }

  @Override
  public void close() {}
}
