package io.weir.testkit.lease;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.limit.Bounds;
import io.weir.limit.PermitMeter;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
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
  private final Map<Bucket, Ledger> ledgers = new HashMap<>();
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
    Ledger ledger = ledger(pool, key).copy();
    ledger.open(pool, key, clock.getAsLong());
    return ledger.loans.out();
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(0, draws, false));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return CompletableFuture.completedFuture(decide(reservation, draws, true));
  }

  private synchronized Taking decide(long reservation, List<Draw> draws, boolean stamped) {
    long now = clock.getAsLong();
    List<LedgerDraw> visits = new ArrayList<>();
    boolean taken = true;
    boolean lends = false;
    for (Draw draw : draws) {
      boolean tells = !draw.lease().equals(LeaseCall.NONE);
      Ledger ledger = ledger(draw.pool(), draw.key());
      LedgerDraw visit = new LedgerDraw(draw, draw.looks() && !tells ? ledger.copy() : ledger, now);
      taken &= visit.judge();
      lends |= tells;
      visits.add(visit);
    }
    for (LedgerDraw visit : visits) {
      visit.act(taken, reservation);
    }
    List<Stamp> stamps = new ArrayList<>();
    List<Grant> grants = new ArrayList<>();
    for (LedgerDraw visit : visits) {
      if (stamped && taken) {
        stamps.add(visit.stamp());
      }
      if (lends) {
        grants.add(visit.grant());
      }
    }
    return new Taking(taken, visits.stream().map(LedgerDraw::standing).toList(), stamps, grants);
  }

  private Ledger ledger(Pool pool, Key key) {
    return ledgers.computeIfAbsent(new Bucket(pool.rule(), pool.slot(), key), any -> new Ledger());
  }

  @Override
  public synchronized CompletionStage<Settlement> settle(
      long reservation, List<Held> parts, Term term) {
    long now = clock.getAsLong();
    settledUntil.values().removeIf(gone -> gone <= now);
    long within = Bounds.micros(term.within());
    boolean late =
        !parts.isEmpty() && parts.stream().allMatch(part -> now - part.stamp().madeAt() >= within);
    long until = now + Bounds.micros(term.marked());
    if (late || settledUntil.putIfAbsent(reservation, until) != null) {
      return CompletableFuture.completedFuture(Settlement.ALREADY);
    }
    parts.forEach(part -> opened(part).settle(part, now));
    return CompletableFuture.completedFuture(Settlement.DONE);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return eachPart(parts, part -> opened(part).release(reservation));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return eachPart(parts, part -> opened(part).renew(reservation, clock.getAsLong()));
  }

  private synchronized CompletionStage<Settlement> eachPart(
      List<Held> parts, Predicate<Held> change) {
    boolean any = false;
    for (Held part : parts) {
      any |= part.pool().meter() instanceof PermitMeter && change.test(part);
    }
    return CompletableFuture.completedFuture(any ? Settlement.DONE : Settlement.ALREADY);
  }

  private Ledger opened(Held part) {
    Ledger ledger = ledger(part.pool(), part.key());
    ledger.open(part.pool(), part.key(), clock.getAsLong());
    return ledger;
  }

  @Override
  public synchronized CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    long now = clock.getAsLong();
    Ledger ledger = ledger(pool, key);
    ledger.open(pool, key, now);
    pool.meter().refund(ledger.cell, now, amount);
    ledger.leaveIfNothingIsWritten(now);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    Ledger ledger = ledgers.get(new Bucket(pool.rule(), pool.slot(), key));
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
      Ledger ledger = ledger(draw.pool(), draw.key()).copy();
      ledger.open(draw.pool(), draw.key(), now);
      texts.add(draw.pool().meter().describe(ledger.cell, now, draw.amount()));
    }
    return CompletableFuture.completedFuture(texts);
  }

  @Override
  public void close() {}
}
