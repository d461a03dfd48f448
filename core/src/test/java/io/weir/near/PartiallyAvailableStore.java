package io.weir.near;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A shared store on several nodes, some of which are unavailable: they hold the rules named in
 * {@link #unavailable}. It can also violate the contract, and throw or complete with an exception.
 */
public final class PartiallyAvailableStore implements Store {
  public final Set<String> unavailable = new HashSet<>();
  public boolean throwing;
  public boolean failing;
  public boolean closed;

  /** Whether {@link #isUnavailable} reports the unavailable rules. */
  boolean reportsUnavailable;

  /** Rules whose draws reached a node. */
  final List<String> reached = new ArrayList<>();

  /** The number of settlements, releases and renewals. */
  int changes;

  private final MemoryStore nodes;

  public PartiallyAvailableStore(TimeSource time) {
    this.nodes = MemoryStore.builder().time(time).build();
  }

  private boolean isDown(Pool pool) {
    return unavailable.contains(pool.rule());
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    return reportsUnavailable && isDown(pool);
  }

  private <T> CompletionStage<T> failOr(Supplier<CompletionStage<T>> work) {
    if (throwing) {
      throw new IllegalStateException("a bug");
    }
    return failing
        ? CompletableFuture.failedFuture(new IllegalStateException("a bug"))
        : work.get();
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return reserve(0, draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return failOr(() -> CompletableFuture.completedFuture(decide(reservation, draws)));
  }

  private TakeResult decide(long reservation, List<Draw> draws) {
    List<Draw> there = draws.stream().filter(draw -> !isDown(draw.pool())).toList();
    there.forEach(draw -> reached.add(draw.pool().rule()));
    TakeResult answer = nodes.reserve(reservation, there).toCompletableFuture().join();
    List<LimitStatus> statuses = new ArrayList<>();
    List<TakeReceipt> receipts = new ArrayList<>();
    int next = 0;
    for (Draw draw : draws) {
      if (isDown(draw.pool())) {
        statuses.add(draw.unanswered());
        receipts.add(new TakeReceipt(0, 0));
      } else {
        statuses.add(answer.statuses().get(next));
        receipts.add(answer.taken() ? answer.receipts().get(next) : new TakeReceipt(0, 0));
        next++;
      }
    }
    boolean all = there.size() == draws.size();
    return new TakeResult(answer.taken() && all, statuses, answer.taken() ? receipts : List.of());
  }

  private CompletionStage<SettlementResult> change(
      List<ReservedPart> parts, Supplier<CompletionStage<SettlementResult>> work) {
    changes++;
    return parts.stream().anyMatch(part -> isDown(part.pool()))
        ? CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE)
        : failOr(work);
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return change(parts, () -> nodes.settle(reservation, parts, terms));
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return change(parts, () -> nodes.release(reservation, parts));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return change(parts, () -> nodes.renew(reservation, parts));
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return failOr(() -> nodes.refund(pool, key, amount));
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return isDown(pool)
        ? CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE)
        : failOr(() -> nodes.grant(pool, key, amount));
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return isDown(pool)
        ? CompletableFuture.completedFuture(SettlementResult.UNAVAILABLE)
        : failOr(() -> nodes.reset(pool, key));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return failOr(() -> nodes.describe(draws));
  }

  @Override
  public void close() {
    closed = true;
  }
}
