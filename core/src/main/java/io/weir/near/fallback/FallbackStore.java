package io.weir.near.fallback;

import io.weir.Key;
import io.weir.LimitKind;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.limit.TakeReceipt.Origin;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The third step: asks the shared store, and gives the answer that each rule chose beforehand for
 * draws that it could not answer.
 *
 * <p>Open allows, closed refuses as unavailable, local decides by this instance's share. Any closed
 * draw makes the call unavailable; else any refusal, near or far, refuses it. What the store took
 * for a call that is refused in the end is given back; where a closed draw is known to be away
 * beforehand, nobody is asked ({@code LeaseAttempt}). When it answers for a bucket again, the draw
 * carries what the local share still owes. An error that the store should not have is no other
 * case: it is told to whoever counts such things, and the rules decide as if nobody had answered.
 *
 * <p>A reservation says of each part who knows of it (see {@link TakeReceipt}), and is settled
 * there: in the store, in the memory of the instance that decided, or nowhere. What is given back
 * in memory after the store was told of it as a debt goes back there as well ({@link DebtRefund}).
 */
public final class FallbackStore implements Store {
  /** A give-back follows within the same call, however long that may take. */
  private static final SettlementTerms GIVE_BACK = SettlementTerms.of(Duration.ofSeconds(10));

  private final Store shared;
  private final LocalLimiter local;
  private final DebtCarrier debts;
  private final Consumer<Throwable> errorHandler;
  private final RecentReservations localReservations = new RecentReservations();

  /**
   * A fallback for a store that is this instance's alone, so that its share is everything.
   *
   * @param local where rules that fall back to memory are decided
   * @param unexpected hears of errors that the shared store should not have; must not throw
   */
  public FallbackStore(
      Store shared, MemoryStore local, TimeSource time, Consumer<Throwable> unexpected) {
    this(shared, new LocalLimiter(local, time, () -> 1), unexpected);
  }

  public FallbackStore(Store shared, LocalLimiter local, Consumer<Throwable> unexpected) {
    this.shared = shared;
    this.local = local;
    this.errorHandler = unexpected;
    this.debts = new DebtCarrier(local, this::look);
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return decide(ThreadLocalRandom.current().nextLong(), draws, new BitSet(), false);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return decide(reservation, draws, new BitSet(), true);
  }

  /**
   * Decides a call.
   *
   * @param away the places of draws that the store is known not to answer just now, and is not
   *     asked for
   */
  public CompletionStage<TakeResult> decide(
      long id, List<Draw> draws, BitSet away, boolean settledLater) {
    List<Draw> loaded = debts.attach(draws, away);
    CompletionStage<TakeResult> answer;
    try {
      answer = send(id, loaded, away);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (taking, problem) -> {
          if (problem != null) {
            reportError(problem);
          }
          TakeResult heard = problem == null ? taking : TakeResult.unanswered(loaded);
          debts.complete(loaded, heard);
          local.recordAnswer(loaded, heard);
          return DegradedCall.hasAnswer(heard) ? heard : degraded(id, loaded, heard, settledLater);
        });
  }

  private CompletionStage<TakeResult> look(Draw draw) {
    List<Draw> one = List.of(draw);
    return orElse(() -> shared.take(one), () -> TakeResult.unanswered(one));
  }

  private CompletionStage<TakeResult> send(long id, List<Draw> draws, BitSet away) {
    return away.isEmpty()
        ? shared.reserve(id, draws)
        : new PartialRequest(draws, away).send(shared, id);
  }

  /** Decides a call without asking the store for any of it. */
  public TakeResult decideLocally(long id, List<Draw> draws, boolean settledLater) {
    return degraded(id, draws, TakeResult.unanswered(draws), settledLater);
  }

  private TakeResult degraded(long id, List<Draw> draws, TakeResult heard, boolean settledLater) {
    DegradedCall call = new DegradedCall(draws, heard);
    TakeResult taking = call.decided(local.reserve(id, call.localDraws()));
    List<ReservedPart> back = taking.taken() ? List.of() : call.takenInStore();
    if (!back.isEmpty()) {
      giveBack(id, back);
    }
    if (settledLater && taking.receipts().stream().anyMatch(at -> at.origin() == Origin.INSTANCE)) {
      localReservations.add(id);
    }
    return taking;
  }

  private void giveBack(long id, List<ReservedPart> parts) {
    settleInStore(id, parts, GIVE_BACK);
    if (parts.stream().anyMatch(FallbackStore::isPermit)) {
      releaseInStore(id, parts);
    }
  }

  private static boolean isPermit(ReservedPart part) {
    return part.pool().meter().limit().kind() == LimitKind.CONCURRENCY;
  }

  // ---- putting right

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    List<ReservedPart> there = withOrigin(Origin.STORE, parts);
    List<ReservedPart> here = withOrigin(Origin.INSTANCE, parts);
    if (there.size() == parts.size()) {
      return settleInStore(reservation, parts, term);
    }
    // Parts that nobody knows of are right as they are.
    CompletionStage<SettlementResult> came =
        CompletableFuture.completedFuture(
            there.isEmpty() && here.isEmpty() ? SettlementResult.DONE : SettlementResult.ALREADY);
    if (!there.isEmpty()) {
      came = came.thenCombine(settleInStore(reservation, there, term), SettlementResult::and);
    }
    if (!here.isEmpty() && localReservations.contains(reservation)) {
      came = came.thenCombine(settleLocally(reservation, here, term), SettlementResult::and);
    }
    return came;
  }

  /** Settles in memory, and gives back what the store has been told of as a debt. */
  private CompletionStage<SettlementResult> settleLocally(
      long id, List<ReservedPart> parts, SettlementTerms term) {
    return debts
        .withExclusive(parts, () -> local.settle(id, parts, term, this::isUnavailable))
        .thenCompose(
            settled ->
                CompletableFuture.allOf(
                        settled.refunds().stream()
                            .map(over -> endLease(over.pool(), over.key(), over.report()))
                            .map(CompletionStage::toCompletableFuture)
                            .toArray(CompletableFuture[]::new))
                    .thenApply(told -> settled.result()));
  }

  private CompletionStage<SettlementResult> settleInStore(
      long id, List<ReservedPart> parts, SettlementTerms term) {
    return orElse(() -> shared.settle(id, parts, term), () -> SettlementResult.UNAVAILABLE);
  }

  private CompletionStage<SettlementResult> releaseInStore(long id, List<ReservedPart> parts) {
    return orElse(() -> shared.release(id, parts), () -> SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachPermit(
        parts,
        there -> releaseInStore(reservation, there),
        here -> local.release(reservation, here));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachPermit(
        parts,
        there -> orElse(() -> shared.renew(reservation, there), () -> SettlementResult.UNAVAILABLE),
        here -> local.renew(reservation, here));
  }

  /** What is done to parts, and what comes of it. */
  private interface PartsOperation
      extends Function<List<ReservedPart>, CompletionStage<SettlementResult>> {}

  /** Changes permits where they are held; those that are held nowhere are as asked for. */
  private static CompletionStage<SettlementResult> eachPermit(
      List<ReservedPart> parts, PartsOperation there, PartsOperation here) {
    List<ReservedPart> permits = parts.stream().filter(FallbackStore::isPermit).toList();
    CompletionStage<SettlementResult> came =
        CompletableFuture.completedFuture(
            withOrigin(Origin.NOWHERE, permits).isEmpty()
                ? SettlementResult.ALREADY
                : SettlementResult.DONE);
    List<ReservedPart> far = withOrigin(Origin.STORE, permits);
    List<ReservedPart> near = withOrigin(Origin.INSTANCE, permits);
    came = far.isEmpty() ? came : came.thenCombine(there.apply(far), SettlementResult::and);
    return near.isEmpty() ? came : came.thenCombine(here.apply(near), SettlementResult::and);
  }

  private static List<ReservedPart> withOrigin(Origin where, List<ReservedPart> parts) {
    return parts.stream().filter(part -> part.receipt().origin() == where).toList();
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return orElse(() -> shared.refund(pool, key, amount), () -> null);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return orElse(() -> shared.endLease(pool, key, lease), () -> null);
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    try {
      return shared.isUnavailable(pool, key);
    } catch (RuntimeException | Error e) {
      reportError(e);
      return false;
    }
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return orElse(
        () -> shared.describe(draws),
        () -> Collections.nCopies(draws.size(), "the store did not answer"));
  }

  /** What the store says, or something else if it fails as it never should. */
  private <T> CompletionStage<T> orElse(
      Supplier<CompletionStage<T>> question, Supplier<T> otherwise) {
    CompletionStage<T> answer;
    try {
      answer = question.get();
    } catch (RuntimeException | Error e) {
      reportError(e);
      return CompletableFuture.completedFuture(otherwise.get());
    }
    return answer.exceptionally(
        problem -> {
          reportError(problem);
          return otherwise.get();
        });
  }

  /** Tells of an error that should not be, whoever met it. */
  public void reportError(Throwable problem) {
    Throwable cause = problem.getCause();
    errorHandler.accept(problem instanceof CompletionException && cause != null ? cause : problem);
  }

  @Override
  public void close() {
    shared.close();
  }
}
