package io.weir.near;

import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.limit.LeaseLedger;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A shared store whose calls are answered by the test, one at a time. */
public final class ScriptedStore implements Store {
  /** The store's clock, which stands still. */
  public static final long NOW = 1_700_000_000_000_000L;

  /** A call that waits for its answer. */
  public final class StoreCall {
    public final List<Draw> draws;
    private final CompletableFuture<TakeResult> answer = new CompletableFuture<>();

    private StoreCall(List<Draw> draws) {
      this.draws = draws;
    }

    public LeaseReport lease() {
      return draws.get(0).lease();
    }

    /**
     * Admits all draws with this remaining amount, and lends up to this many of the requested
     * tokens.
     */
    public void admit(long remaining, long lent) {
      answer(true, draws.stream().map(draw -> status(draw, true, remaining, 0)).toList(), lent);
    }

    public void admit(long remaining) {
      admit(remaining, 0);
    }

    /** Refuses every draw. */
    public void refuse(Duration retryAfter) {
      long micros = retryAfter.toNanos() / 1000;
      answer(false, draws.stream().map(draw -> status(draw, false, 0, micros)).toList(), 0);
    }

    /** Answers none of the draws. */
    public void ignore() {
      answer.complete(TakeResult.unanswered(draws));
    }

    /** Answers none of the draws, as the request was never sent. */
    public void rejectUnsent() {
      answer.complete(TakeResult.notSent(draws));
    }

    public void answer(boolean taken, List<LimitStatus> statuses, long lent) {
      List<LeaseGrant> grants = new ArrayList<>();
      List<TakeReceipt> receipts = new ArrayList<>();
      for (Draw draw : draws) {
        grants.add(grant(draw.lease(), lent));
        receipts.add(new TakeReceipt(5, 6).madeAt(NOW));
      }
      answer.complete(new TakeResult(taken, statuses, taken ? receipts : List.of(), grants));
    }

    private LeaseGrant grant(LeaseReport call, long lent) {
      if (call.equals(LeaseReport.NONE)) {
        return LeaseGrant.NONE;
      }
      long kept = call.held().window() == window ? call.unused() : 0;
      return new LeaseGrant(
          kept, Math.min(lent, call.requested()), 3, window, LeaseLedger.LIFE, NOW);
    }

    void fail(Throwable problem) {
      answer.completeExceptionally(problem);
    }
  }

  public static LimitStatus status(Draw draw, boolean allowed, long remaining, long retryAfter) {
    Pool pool = draw.pool();
    return new LimitStatus.Builder(pool.rule(), pool.name(), pool.meter().limit(), draw.mode())
        .allowed(allowed)
        .remaining(remaining)
        .reset(1_000_000)
        .retryAfter(retryAfter)
        .source(DecisionSource.STORE)
        .build();
  }

  public final Deque<StoreCall> calls = new ArrayDeque<>();
  public final List<LeaseReport> ended = new ArrayList<>();
  public final List<String> resets = new ArrayList<>();
  public final List<ReservedPart> settled = new ArrayList<>();
  public final Set<String> unavailable = new HashSet<>();

  /** Runs once, during the next {@link #isUnavailable}. */
  public Runnable meanwhile = () -> {};

  public int received;
  public boolean closed;

  /** End of the window of leases; 0 for buckets. */
  public long window;

  /** Thrown by the next call instead of an answer. */
  public @Nullable Error error;

  /** The next call that waits for an answer. */
  public StoreCall next() {
    return calls.remove();
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return reserve(0, draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    received++;
    if (error != null) {
      Error now = error;
      error = null;
      throw now;
    }
    StoreCall call = new StoreCall(draws);
    calls.add(call);
    return call.answer;
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    settled.addAll(parts);
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return CompletableFuture.completedFuture(SettlementResult.ALREADY);
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return CompletableFuture.completedFuture(SettlementResult.ALREADY);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    resets.add(pool.rule());
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    ended.add(lease);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    Runnable now = meanwhile;
    meanwhile = () -> {};
    now.run();
    return unavailable.contains(pool.rule());
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return CompletableFuture.completedFuture(draws.stream().map(Draw::toString).toList());
  }

  @Override
  public void close() {
    closed = true;
  }
}
