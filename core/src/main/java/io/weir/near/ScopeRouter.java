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
 * Keeps the pools of rules that are about this instance alone in memory, and everything else in a
 * shared store.
 *
 * <p>What is near is asked first: a call refused here costs the shared store nothing, and is
 * answered with the limits that were asked. If the shared store refuses, what was taken here is
 * given back.
 */
public final class ScopeRouter implements Store {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final MemoryStore local;
  private final Store shared;

  /** Reservations of which a part is in the memory of this instance. */
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

  private CompletionStage<TakeResult> decide(long id, List<Draw> draws, boolean stamped) {
    List<Draw> near = draws.stream().filter(draw -> draw.pool().isLocal()).toList();
    if (near.size() == draws.size()) {
      return stamped ? local.reserve(id, draws) : local.take(draws);
    }
    return local
        .reserve(id, near)
        .thenCompose(
            here -> {
              if (!here.taken()) {
                return CompletableFuture.completedFuture(refusal(draws, true, here));
              }
              List<Draw> far = draws.stream().filter(draw -> !draw.pool().isLocal()).toList();
              CompletionStage<TakeResult> there =
                  stamped ? shared.reserve(id, far) : shared.take(far);
              return there.thenApply(taking -> combine(id, draws, near, here, taking));
            });
  }

  private TakeResult combine(
      long id, List<Draw> draws, List<Draw> near, TakeResult here, TakeResult there) {
    if (!there.taken()) {
      giveBack(id, near, here);
    } else if (!there.receipts().isEmpty()) {
      localReservations.add(id);
    }
    if (!there.isComplete()) {
      return refusal(draws, false, there);
    }
    List<LimitStatus> standings = new ArrayList<>(draws.size());
    List<TakeReceipt> stamps = new ArrayList<>();
    int fromHere = 0;
    int fromThere = 0;
    for (Draw draw : draws) {
      TakeResult source = draw.pool().isLocal() ? here : there;
      int at = draw.pool().isLocal() ? fromHere++ : fromThere++;
      standings.add(source.statuses().get(at));
      if (!there.receipts().isEmpty()) {
        stamps.add(source.receipts().get(at));
      }
    }
    return new TakeResult(there.taken(), standings, stamps);
  }

  /** A refusal by one side, as one of the whole call. */
  private static TakeResult refusal(List<Draw> draws, boolean near, TakeResult side) {
    List<Integer> ofSide = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().isLocal() == near) {
        ofSide.add(i);
      }
    }
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < side.statuses().size(); i++) {
      places.add(ofSide.get(side.drawIndexOf(i)));
    }
    return TakeResult.refused(side.statuses(), places);
  }

  private void giveBack(long id, List<Draw> near, TakeResult here) {
    List<ReservedPart> held = new ArrayList<>();
    for (int i = 0; i < near.size(); i++) {
      Draw draw = near.get(i);
      if (draw.intent() != Draw.Intent.LOOK && here.statuses().get(i).allowed()) {
        held.add(
            new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, here.receipts().get(i)));
      }
    }
    local.giveBack(id, held);
  }

  /**
   * What the shared store has settled before, on whichever instance, is not settled here again;
   * unless the rest of it is here, for whoever settled may not have heard of it.
   */
  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    List<ReservedPart> near = parts.stream().filter(part -> part.pool().isLocal()).toList();
    if (!near.isEmpty() && near.size() == parts.size()) {
      return local.settle(reservation, near, term);
    }
    List<ReservedPart> far = parts.stream().filter(part -> !part.pool().isLocal()).toList();
    return shared
        .settle(reservation, far, term)
        .thenCompose(
            settled ->
                !near.isEmpty() && mayBeUnsettledHere(reservation, settled)
                    ? local.settle(reservation, near, term).thenApply(settled::and)
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
    Predicate<ReservedPart> isNear = part -> part.pool().isLocal();
    List<ReservedPart> near = parts.stream().filter(isNear).toList();
    List<ReservedPart> far = parts.stream().filter(isNear.negate()).toList();
    if (near.isEmpty() || far.isEmpty()) {
      return action.apply(near.isEmpty() ? shared : local, parts);
    }
    return action.apply(shared, far).thenCombine(action.apply(local, near), SettlementResult::and);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return pool.isLocal() ? local.refund(pool, key, amount) : shared.refund(pool, key, amount);
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
