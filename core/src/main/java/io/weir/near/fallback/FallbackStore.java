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
 * The third step: calls the shared store, and decides the draws that it does not answer by their
 * rule's {@code on_fail}.
 *
 * <p>{@code open} allows, {@code closed} refuses as unavailable, {@code local} decides by this
 * instance's share. Any unavailable {@code closed} draw makes the call unavailable; otherwise any
 * refusal, local or by the store, refuses it. Tokens that the store took for a call that is refused
 * in the end are given back. If a {@code closed} draw is known to be unavailable beforehand, no
 * request is sent ({@code LeaseAttempt}). When the store answers for a bucket again, the draw
 * carries the debt of the local share. An unexpected error of the store is reported, and the call
 * is decided as if the store had not answered.
 *
 * <p>Each part of a reservation records where it was taken (see {@link TakeReceipt}), and is
 * settled there: in the store, in the memory of the instance that decided, or nowhere. An amount
 * that is given back in memory after it was charged in the store as a debt is returned to the store
 * as well ({@link DebtRefund}).
 */
public final class FallbackStore implements Store {
  /** A give-back follows within the same call; 10 s is longer than any call takes. */
  private static final SettlementTerms GIVE_BACK = SettlementTerms.of(Duration.ofSeconds(10));

  private final Store shared;
  private final LocalLimiter local;
  private final DebtCarrier debts;
  private final Consumer<Throwable> errorHandler;
  private final RecentReservations localReservations = new RecentReservations();

  /**
   * A fallback whose local share is the whole limit, for a store with a single instance.
   *
   * @param local memory for rules with {@code on_fail: local}
   * @param errorHandler receives unexpected errors of the shared store; must not throw
   */
  public FallbackStore(
      Store shared, MemoryStore local, TimeSource time, Consumer<Throwable> errorHandler) {
    this(shared, new LocalLimiter(local, time, () -> 1), errorHandler);
  }

  public FallbackStore(Store shared, LocalLimiter local, Consumer<Throwable> errorHandler) {
    this.shared = shared;
    this.local = local;
    this.errorHandler = errorHandler;
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
   * @param unavailable indexes of draws whose node is known not to answer now; they are not sent
   */
  public CompletionStage<TakeResult> decide(
      long id, List<Draw> draws, BitSet unavailable, boolean settledLater) {
    List<Draw> attached = debts.attach(draws, unavailable);
    CompletionStage<TakeResult> answer;
    try {
      answer = send(id, attached, unavailable);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (result, problem) -> {
          if (problem != null) {
            reportError(problem);
          }
          TakeResult response = problem == null ? result : TakeResult.unanswered(attached);
          debts.complete(attached, response);
          local.recordAnswer(attached, response);
          return DegradedCall.hasAnswer(response)
              ? response
              : degraded(id, attached, response, settledLater);
        });
  }

  private CompletionStage<TakeResult> look(Draw draw) {
    List<Draw> one = List.of(draw);
    return orElse(() -> shared.take(one), () -> TakeResult.unanswered(one));
  }

  private CompletionStage<TakeResult> send(long id, List<Draw> draws, BitSet unavailable) {
    return unavailable.isEmpty()
        ? shared.reserve(id, draws)
        : new PartialRequest(draws, unavailable).send(shared, id);
  }

  /** Decides a call by {@code on_fail}, without a request to the store. */
  public TakeResult decideLocally(long id, List<Draw> draws, boolean settledLater) {
    return degraded(id, draws, TakeResult.unanswered(draws), settledLater);
  }

  private TakeResult degraded(
      long id, List<Draw> draws, TakeResult response, boolean settledLater) {
    DegradedCall call = new DegradedCall(draws, response);
    TakeResult result = call.withLocalResult(local.reserve(id, call.localDraws()));
    List<ReservedPart> back = result.taken() ? List.of() : call.takenInStore();
    if (!back.isEmpty()) {
      giveBack(id, back);
    }
    if (settledLater && result.receipts().stream().anyMatch(at -> at.origin() == Origin.INSTANCE)) {
      localReservations.add(id);
    }
    return result;
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

  // ---- settling

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    List<ReservedPart> inStore = withOrigin(Origin.STORE, parts);
    List<ReservedPart> inMemory = withOrigin(Origin.INSTANCE, parts);
    if (inStore.size() == parts.size()) {
      return settleInStore(reservation, parts, terms);
    }
    // Parts that were taken nowhere need no change.
    CompletionStage<SettlementResult> outcome =
        CompletableFuture.completedFuture(
            inStore.isEmpty() && inMemory.isEmpty()
                ? SettlementResult.DONE
                : SettlementResult.ALREADY);
    if (!inStore.isEmpty()) {
      outcome =
          outcome.thenCombine(settleInStore(reservation, inStore, terms), SettlementResult::and);
    }
    if (!inMemory.isEmpty() && localReservations.contains(reservation)) {
      outcome =
          outcome.thenCombine(settleLocally(reservation, inMemory, terms), SettlementResult::and);
    }
    return outcome;
  }

  /** Settles in memory, and returns amounts that were charged in the store as a debt. */
  private CompletionStage<SettlementResult> settleLocally(
      long id, List<ReservedPart> parts, SettlementTerms terms) {
    return debts
        .withExclusive(parts, () -> local.settle(id, parts, terms, this::isUnavailable))
        .thenCompose(
            settled ->
                CompletableFuture.allOf(
                        settled.refunds().stream()
                            .map(over -> endLease(over.pool(), over.key(), over.report()))
                            .map(CompletionStage::toCompletableFuture)
                            .toArray(CompletableFuture[]::new))
                    .thenApply(done -> settled.result()));
  }

  private CompletionStage<SettlementResult> settleInStore(
      long id, List<ReservedPart> parts, SettlementTerms terms) {
    return orElse(() -> shared.settle(id, parts, terms), () -> SettlementResult.UNAVAILABLE);
  }

  private CompletionStage<SettlementResult> releaseInStore(long id, List<ReservedPart> parts) {
    return orElse(() -> shared.release(id, parts), () -> SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return eachPermit(
        parts,
        inStore -> releaseInStore(reservation, inStore),
        inMemory -> local.release(reservation, inMemory));
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return eachPermit(
        parts,
        inStore ->
            orElse(() -> shared.renew(reservation, inStore), () -> SettlementResult.UNAVAILABLE),
        inMemory -> local.renew(reservation, inMemory));
  }

  /** An operation on parts of a reservation. */
  private interface PartsOperation
      extends Function<List<ReservedPart>, CompletionStage<SettlementResult>> {}

  /** Applies an operation to permits where they are held; permits held nowhere count as done. */
  private static CompletionStage<SettlementResult> eachPermit(
      List<ReservedPart> parts, PartsOperation inStore, PartsOperation inMemory) {
    List<ReservedPart> permits = parts.stream().filter(FallbackStore::isPermit).toList();
    CompletionStage<SettlementResult> outcome =
        CompletableFuture.completedFuture(
            withOrigin(Origin.NOWHERE, permits).isEmpty()
                ? SettlementResult.ALREADY
                : SettlementResult.DONE);
    List<ReservedPart> inStoreParts = withOrigin(Origin.STORE, permits);
    List<ReservedPart> inMemoryParts = withOrigin(Origin.INSTANCE, permits);
    outcome =
        inStoreParts.isEmpty()
            ? outcome
            : outcome.thenCombine(inStore.apply(inStoreParts), SettlementResult::and);
    return inMemoryParts.isEmpty()
        ? outcome
        : outcome.thenCombine(inMemory.apply(inMemoryParts), SettlementResult::and);
  }

  private static List<ReservedPart> withOrigin(Origin origin, List<ReservedPart> parts) {
    return parts.stream().filter(part -> part.receipt().origin() == origin).toList();
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return orElse(() -> shared.refund(pool, key, amount), () -> null);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return orElse(() -> shared.grant(pool, key, amount), () -> SettlementResult.UNAVAILABLE);
  }

  /** Also drops what this instance admitted itself and has not charged yet. */
  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    ReservedPart bucket = new ReservedPart(pool, key, 0, 0, TakeReceipt.NOWHERE);
    return orElse(() -> shared.reset(pool, key), () -> SettlementResult.UNAVAILABLE)
        .thenCompose(
            result ->
                result != SettlementResult.DONE
                    ? CompletableFuture.completedFuture(result)
                    : debts.withExclusive(
                        List.of(bucket),
                        () -> {
                          local.reset(pool, key);
                          return result;
                        }));
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

  /** The store's answer, or a substitute if the request fails unexpectedly. */
  private <T> CompletionStage<T> orElse(
      Supplier<CompletionStage<T>> request, Supplier<T> fallback) {
    CompletionStage<T> answer;
    try {
      answer = request.get();
    } catch (RuntimeException | Error e) {
      reportError(e);
      return CompletableFuture.completedFuture(fallback.get());
    }
    return answer.exceptionally(
        problem -> {
          reportError(problem);
          return fallback.get();
        });
  }

  /** Reports an unexpected error. */
  public void reportError(Throwable problem) {
    Throwable cause = problem.getCause();
    errorHandler.accept(problem instanceof CompletionException && cause != null ? cause : problem);
  }

  @Override
  public void close() {
    shared.close();
  }
}
