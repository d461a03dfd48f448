package io.weir.tier;

import io.weir.Key;
import io.weir.Kind;
import io.weir.Settlement;
import io.weir.limit.Stamp;
import io.weir.limit.Stamp.Where;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
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
 * beforehand, nobody is asked ({@link LeasedCall}). When it answers for a bucket again, the draw
 * carries what the local share still owes. An error that the store should not have is no other
 * case: it is told to whoever counts such things, and the rules decide as if nobody had answered.
 *
 * <p>A reservation says of each part who knows of it (see {@link Stamp}), and is settled there: in
 * the store, in the memory of the instance that decided, or nowhere. What is given back in memory
 * after the store was told of it as a debt goes back there as well ({@link Overpaid}).
 */
public final class Fallback implements Store {
  /** A give-back follows within the same call, however long that may take. */
  private static final Term GIVE_BACK = Term.of(Duration.ofSeconds(10));

  private final Store shared;
  private final LocalShares local;
  private final Debts debts;
  private final Consumer<Throwable> unexpected;
  private final RecentIds heldHere = new RecentIds();

  /**
   * A fallback for a store that is this instance's alone, so that its share is everything.
   *
   * @param local where rules that fall back to memory are decided
   * @param unexpected hears of errors that the shared store should not have; must not throw
   */
  public Fallback(
      Store shared, MemoryStore local, TimeSource time, Consumer<Throwable> unexpected) {
    this(shared, new LocalShares(local, time, () -> 1), unexpected);
  }

  Fallback(Store shared, LocalShares local, Consumer<Throwable> unexpected) {
    this.shared = shared;
    this.local = local;
    this.unexpected = unexpected;
    this.debts = new Debts(local, this::look);
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return decide(ThreadLocalRandom.current().nextLong(), draws, new BitSet(), false);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return decide(reservation, draws, new BitSet(), true);
  }

  /**
   * Decides a call.
   *
   * @param away the places of draws that the store is known not to answer just now, and is not
   *     asked for
   */
  CompletionStage<Taking> decide(long id, List<Draw> draws, BitSet away, boolean settledLater) {
    List<Draw> loaded = debts.load(draws, away);
    CompletionStage<Taking> answer;
    try {
      answer = ask(id, loaded, away);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (taking, problem) -> {
          if (problem != null) {
            tell(problem);
          }
          Taking heard = problem == null ? taking : Taking.unanswered(loaded);
          debts.unload(loaded, heard);
          local.heard(loaded, heard);
          return Degraded.isHeard(heard) ? heard : degraded(id, loaded, heard, settledLater);
        });
  }

  private CompletionStage<Taking> look(Draw draw) {
    List<Draw> one = List.of(draw);
    return asked(() -> shared.take(one), () -> Taking.unanswered(one));
  }

  private CompletionStage<Taking> ask(long id, List<Draw> draws, BitSet away) {
    return away.isEmpty()
        ? shared.reserve(id, draws)
        : new AskedInPart(draws, away).ask(shared, id);
  }

  /** Decides a call without asking the store for any of it. */
  Taking decideAlone(long id, List<Draw> draws, boolean settledLater) {
    return degraded(id, draws, Taking.unanswered(draws), settledLater);
  }

  private Taking degraded(long id, List<Draw> draws, Taking heard, boolean settledLater) {
    Degraded call = new Degraded(draws, heard);
    Taking taking = call.decided(local.reserve(id, call.near()));
    List<Held> back = taking.taken() ? List.of() : call.tookThere();
    if (!back.isEmpty()) {
      giveBack(id, back);
    }
    if (settledLater && taking.stamps().stream().anyMatch(at -> at.where() == Where.INSTANCE)) {
      heldHere.add(id);
    }
    return taking;
  }

  private void giveBack(long id, List<Held> parts) {
    settleThere(id, parts, GIVE_BACK);
    if (parts.stream().anyMatch(Fallback::isPermit)) {
      releaseThere(id, parts);
    }
  }

  private static boolean isPermit(Held part) {
    return part.pool().meter().limit().kind() == Kind.CONCURRENCY;
  }

  // ---- putting right

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    List<Held> there = at(Where.STORE, parts);
    List<Held> here = at(Where.INSTANCE, parts);
    if (there.size() == parts.size()) {
      return settleThere(reservation, parts, term);
    }
    // Parts that nobody knows of are right as they are.
    CompletionStage<Settlement> came =
        CompletableFuture.completedFuture(
            there.isEmpty() && here.isEmpty() ? Settlement.DONE : Settlement.ALREADY);
    if (!there.isEmpty()) {
      came = came.thenCombine(settleThere(reservation, there, term), Settlement::and);
    }
    if (!here.isEmpty() && heldHere.contains(reservation)) {
      came = came.thenCombine(settleHere(reservation, here, term), Settlement::and);
    }
    return came;
  }

  /** Settles in memory, and gives back what the store has been told of as a debt. */
  private CompletionStage<Settlement> settleHere(long id, List<Held> parts, Term term) {
    return debts
        .whileNoneIsCarried(parts, () -> local.settle(id, parts, term, this::isAway))
        .thenCompose(
            settled ->
                CompletableFuture.allOf(
                        settled.overpaid().stream()
                            .map(over -> endLease(over.pool(), over.key(), over.call()))
                            .map(CompletionStage::toCompletableFuture)
                            .toArray(CompletableFuture[]::new))
                    .thenApply(told -> settled.came()));
  }

  private CompletionStage<Settlement> settleThere(long id, List<Held> parts, Term term) {
    return asked(() -> shared.settle(id, parts, term), () -> Settlement.UNAVAILABLE);
  }

  private CompletionStage<Settlement> releaseThere(long id, List<Held> parts) {
    return asked(() -> shared.release(id, parts), () -> Settlement.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return eachPermit(
        parts, there -> releaseThere(reservation, there), here -> local.release(reservation, here));
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return eachPermit(
        parts,
        there -> asked(() -> shared.renew(reservation, there), () -> Settlement.UNAVAILABLE),
        here -> local.renew(reservation, here));
  }

  /** What is done to parts, and what comes of it. */
  private interface Change extends Function<List<Held>, CompletionStage<Settlement>> {}

  /** Changes permits where they are held; those that are held nowhere are as asked for. */
  private static CompletionStage<Settlement> eachPermit(
      List<Held> parts, Change there, Change here) {
    List<Held> permits = parts.stream().filter(Fallback::isPermit).toList();
    CompletionStage<Settlement> came =
        CompletableFuture.completedFuture(
            at(Where.NOWHERE, permits).isEmpty() ? Settlement.ALREADY : Settlement.DONE);
    List<Held> far = at(Where.STORE, permits);
    List<Held> near = at(Where.INSTANCE, permits);
    came = far.isEmpty() ? came : came.thenCombine(there.apply(far), Settlement::and);
    return near.isEmpty() ? came : came.thenCombine(here.apply(near), Settlement::and);
  }

  private static List<Held> at(Where where, List<Held> parts) {
    return parts.stream().filter(part -> part.stamp().where() == where).toList();
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return asked(() -> shared.refund(pool, key, amount), () -> null);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return asked(() -> shared.endLease(pool, key, lease), () -> null);
  }

  @Override
  public boolean isAway(Pool pool, Key key) {
    try {
      return shared.isAway(pool, key);
    } catch (RuntimeException | Error e) {
      tell(e);
      return false;
    }
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return asked(
        () -> shared.describe(draws),
        () -> Collections.nCopies(draws.size(), "the store did not answer"));
  }

  /** What the store says, or something else if it fails as it never should. */
  private <T> CompletionStage<T> asked(
      Supplier<CompletionStage<T>> question, Supplier<T> otherwise) {
    CompletionStage<T> answer;
    try {
      answer = question.get();
    } catch (RuntimeException | Error e) {
      tell(e);
      return CompletableFuture.completedFuture(otherwise.get());
    }
    return answer.exceptionally(
        problem -> {
          tell(problem);
          return otherwise.get();
        });
  }

  /** Tells of an error that should not be, whoever met it. */
  void tell(Throwable problem) {
    Throwable cause = problem.getCause();
    unexpected.accept(problem instanceof CompletionException && cause != null ? cause : problem);
  }

  @Override
  public void close() {
    shared.close();
  }
}
