package io.weir.near;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.near.fallback.RecentReservations;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Routes draws by scope: pools of instance-scoped rules are kept in memory, all others in a shared
 * store.
 *
 * <p>Local pools are decided first. A call refused here costs the shared store nothing, and its
 * result has only the limits that were checked. If the shared store refuses, the local takes are
 * given back.
 */
public final class ScopeRouter implements Store {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final MemoryStore local;
  private final Store shared;

  /** Reservations that have a part in this instance's memory. */
  private final RecentReservations localReservations = new RecentReservations();

  public ScopeRouter(MemoryStore local, Store shared) {
    this.local = local;
    this.shared = shared;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return isAllShared(draws) ? shared.take(draws) : decide(RANDOM.nextLong(), draws, false);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return isAllShared(draws)
        ? shared.reserve(reservation, draws)
        : decide(reservation, draws, true);
  }

  private static boolean isAllShared(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().isLocal()) {
        return false;
      }
    }
    return true;
  }

  private CompletionStage<TakeResult> decide(long id, List<Draw> draws, boolean withReceipts) {
    List<Draw> localDraws = draws.stream().filter(draw -> draw.pool().isLocal()).toList();
    if (localDraws.size() == draws.size()) {
      return withReceipts ? local.reserve(id, draws) : local.take(draws);
    }
    return local
        .reserve(id, localDraws)
        .thenCompose(
            here -> {
              if (!here.taken()) {
                return CompletableFuture.completedFuture(refusal(draws, true, here));
              }
              List<Draw> sharedDraws =
                  draws.stream().filter(draw -> !draw.pool().isLocal()).toList();
              CompletionStage<TakeResult> there =
                  withReceipts ? shared.reserve(id, sharedDraws) : shared.take(sharedDraws);
              return there.thenApply(result -> combine(id, draws, localDraws, here, result));
            });
  }

  private TakeResult combine(
      long id, List<Draw> draws, List<Draw> localDraws, TakeResult here, TakeResult there) {
    if (!there.taken()) {
      giveBack(id, localDraws, here);
    } else if (!there.receipts().isEmpty()) {
      localReservations.add(id);
    }
    if (!there.isComplete()) {
      return refusal(draws, false, there);
    }
    List<LimitStatus> statuses = new ArrayList<>(draws.size());
    List<TakeReceipt> receipts = new ArrayList<>();
    int fromHere = 0;
    int fromThere = 0;
    for (Draw draw : draws) {
      TakeResult source = draw.pool().isLocal() ? here : there;
      int at = draw.pool().isLocal() ? fromHere++ : fromThere++;
      statuses.add(source.statuses().get(at));
      if (!there.receipts().isEmpty()) {
        receipts.add(source.receipts().get(at));
      }
    }
    return new TakeResult(there.taken(), statuses, receipts);
  }

  /** Converts the refusal of one side into a refusal of the whole call. */
  private static TakeResult refusal(List<Draw> draws, boolean isLocal, TakeResult side) {
    List<Integer> sideIndexes = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().isLocal() == isLocal) {
        sideIndexes.add(i);
      }
    }
    List<Integer> drawIndexes = new ArrayList<>();
    for (int i = 0; i < side.statuses().size(); i++) {
      drawIndexes.add(sideIndexes.get(side.drawIndexOf(i)));
    }
    return TakeResult.refused(side.statuses(), drawIndexes);
  }

  private void giveBack(long id, List<Draw> localDraws, TakeResult here) {
    List<ReservedPart> parts = new ArrayList<>();
    for (int i = 0; i < localDraws.size(); i++) {
      Draw draw = localDraws.get(i);
      if (draw.intent() != Draw.Intent.LOOK && here.statuses().get(i).allowed()) {
        parts.add(
            new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, here.receipts().get(i)));
      }
    }
    local.giveBack(id, parts);
  }

  /**
   * Settles the shared parts first. If any instance has already settled them, the local parts are
   * not settled again. Exception: the reservation was made on this instance. An earlier settlement
   * may have reached the shared store without its answer arriving here, so the local parts may
   * still be open.
   */
  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    List<ReservedPart> localParts = parts.stream().filter(part -> part.pool().isLocal()).toList();
    if (!localParts.isEmpty() && localParts.size() == parts.size()) {
      return local.settle(reservation, localParts, terms);
    }
    List<ReservedPart> sharedParts = parts.stream().filter(part -> !part.pool().isLocal()).toList();
    return shared
        .settle(reservation, sharedParts, terms)
        .thenCompose(
            settled ->
                !localParts.isEmpty() && mayBeUnsettledHere(reservation, settled)
                    ? local.settle(reservation, localParts, terms).thenApply(settled::and)
                    : CompletableFuture.completedFuture(settled));
  }

  private boolean mayBeUnsettledHere(long reservation, SettlementResult there) {
    return there == SettlementResult.DONE
        || (there == SettlementResult.ALREADY && localReservations.contains(reservation));
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachSide(parts, (store, some) -> store.release(reservation, some));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachSide(parts, (store, some) -> store.renew(reservation, some));
  }

  private CompletionStage<SettlementResult> eachSide(
      List<ReservedPart> parts,
      BiFunction<Store, List<ReservedPart>, CompletionStage<SettlementResult>> action) {
    Predicate<ReservedPart> isLocal = part -> part.pool().isLocal();
    List<ReservedPart> localParts = parts.stream().filter(isLocal).toList();
    List<ReservedPart> sharedParts = parts.stream().filter(isLocal.negate()).toList();
    if (localParts.isEmpty() || sharedParts.isEmpty()) {
      return action.apply(localParts.isEmpty() ? shared : local, parts);
    }
    return action
        .apply(shared, sharedParts)
        .thenCombine(action.apply(local, localParts), SettlementResult::and);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return pool.isLocal() ? local.refund(pool, key, amount) : shared.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return pool.isLocal() ? local.grant(pool, key, amount) : shared.grant(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return pool.isLocal() ? local.reset(pool, key) : shared.reset(pool, key);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    List<CompletableFuture<List<String>>> texts = new ArrayList<>();
    for (Draw draw : draws) {
      Store store = draw.pool().isLocal() ? local : shared;
      texts.add(store.describe(List.of(draw)).toCompletableFuture());
    }
    return CompletableFuture.allOf(texts.toArray(CompletableFuture[]::new))
        .thenApply(done -> texts.stream().flatMap(text -> text.join().stream()).toList());
  }

  @Override
  public void close() {
    shared.close();
  }
}
