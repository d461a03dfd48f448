package io.weir.near.fallback;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.OnFail;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Carries what {@link LocalLimiter} still owe to the shared store: with the next draw on the
 * bucket, whichever that is, and with one at a time. Off the books once the store has answered it;
 * until then the present debt goes with the next try, as it shrinks by itself.
 *
 * <p>A store that has not heard of the debt would let it through again. So a bucket is decided here
 * for as long as it owes something that cannot be told: while it {@link UnackedDebts}, while what
 * it owes is being changed, and in a further call of a decision, which may be given up any moment.
 */
final class DebtCarrier {
  private final DebtLedger ledger;
  private final UnackedDebts unacked;

  /**
   * Buckets of which a call is under way that carries what they owe, or whose debt is just being
   * changed, until that has ended.
   */
  private final Map<BucketId, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();

  /** Holds a bucket whose debt is being changed: it cannot be told just now. */
  private static final class DebtLock extends CompletableFuture<Void> {}

  /** What is owed; for many threads at once. */
  interface DebtLedger {
    /** Whether anything may be owed at all. */
    boolean mayHaveDebts();

    /** What was let through here and has not come back yet. */
    long debt(Pool pool, Key key);

    /**
     * The store has been told of so much.
     *
     * @param inFull whether it surely charged all of it: a bucket that is used up takes only a part
     */
    void onCharged(Pool pool, Key key, long amount, boolean inFull);

    /** The time in µs, from wherever. */
    long micros();
  }

  /**
   * Debts of these books.
   *
   * @param store where a draw is looked at; must not throw
   */
  DebtCarrier(DebtLedger books, Function<Draw, CompletionStage<TakeResult>> store) {
    this.ledger = books;
    this.unacked = new UnackedDebts(store, books::micros);
  }

  /**
   * The draws, with what is owed on their buckets.
   *
   * @param away the places of draws that are not going to the store; those are added whose bucket
   *     owes something that cannot be told now
   */
  List<Draw> attach(List<Draw> draws, BitSet away) {
    if (!ledger.mayHaveDebts()) {
      return draws;
    }
    List<Draw> loaded = new ArrayList<>(draws.size());
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (!away.get(i) && canAttach(draw) && debtOf(draw) > 0) {
          BucketId bucket = BucketId.of(draw);
          away.set(i, draw.startedMicros() != 0 || unacked.isPaused(bucket, draw));
          draw = away.get(i) ? draw : attach(draw, bucket, i, away);
        }
        loaded.add(draw);
      }
      return loaded;
    } catch (RuntimeException | Error e) {
      release(loaded);
      throw e;
    }
  }

  private static boolean canAttach(Draw draw) {
    return draw.intent() != Draw.Intent.LOOK && draw.pool().onFail() == OnFail.LOCAL;
  }

  private long debtOf(Draw draw) {
    return ledger.debt(draw.pool(), draw.key());
  }

  private Draw attach(Draw draw, BucketId bucket, int place, BitSet away) {
    CompletableFuture<Void> other = inFlight.putIfAbsent(bucket, new CompletableFuture<>());
    if (other != null) {
      away.set(place, other instanceof DebtLock);
      return draw;
    }
    Draw loaded = draw;
    try {
      // Only now is it sure that nobody else is just paying.
      long owed = debtOf(draw);
      loaded = owed == 0 ? draw : draw.withLease(draw.lease().withDebt(owed));
      return loaded;
    } finally {
      if (loaded == draw) {
        release(bucket);
      }
    }
  }

  /** The store has answered, or not. */
  void complete(List<Draw> draws, TakeResult taking) {
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (draw.lease().debt() > 0) {
          LimitStatus standing = taking.statuses().get(i);
          if (standing.answered()) {
            boolean inFull = standing.remaining() > 0 || standing.allowed() && draw.amount() > 0;
            ledger.onCharged(draw.pool(), draw.key(), draw.lease().debt(), inFull);
          } else if (isSent(taking, i)) {
            unacked.begin(BucketId.of(draw));
          }
        }
      }
    } finally {
      release(draws);
    }
  }

  /** Whether the store may have heard of a draw, as far as is known. */
  static boolean isSent(TakeResult taking, int place) {
    return taking.grants().isEmpty() || taking.grants().get(place) != LeaseGrant.NOT_SENT;
  }

  private void release(List<Draw> draws) {
    for (Draw draw : draws) {
      if (draw.lease().debt() > 0) {
        release(BucketId.of(draw));
      }
    }
  }

  private void release(BucketId bucket) {
    CompletableFuture<Void> ended = inFlight.remove(bucket);
    if (ended != null) {
      ended.complete(null);
    }
  }

  /**
   * Changes what parts owe while no call is under way that carries any of it: first waits for those
   * that are, and lets none begin. Whoever read what is owed before would tell the store too much.
   */
  <T> CompletionStage<T> withExclusive(List<ReservedPart> parts, Supplier<T> change) {
    Set<BucketId> held = new HashSet<>();
    for (ReservedPart part : parts) {
      BucketId bucket = BucketId.of(part.pool(), part.key());
      if (!held.contains(bucket)) {
        CompletableFuture<Void> other = inFlight.putIfAbsent(bucket, new DebtLock());
        if (other != null) {
          held.forEach(this::release);
          return other.thenCompose(ended -> withExclusive(parts, change));
        }
        held.add(bucket);
      }
    }
    return CompletableFuture.completedFuture(held)
        .thenApply(own -> change.get())
        .whenComplete((changed, problem) -> held.forEach(this::release));
  }
}
