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
 * Carries the debts of {@link LocalLimiter} to the shared store: with the next draw on the bucket,
 * and with one draw at a time. A debt is settled once the store has answered that draw. Until then
 * each new attempt carries the present debt, which shrinks by itself as the bucket refills.
 *
 * <p>A store that does not know of a debt would admit the same amount again. So a bucket is decided
 * locally while its debt cannot be sent: while it is in {@link UnackedDebts}, while the debt is
 * being changed, and in a follow-up request of a decision, whose deadline may end at any moment.
 */
final class DebtCarrier {
  private final DebtLedger ledger;
  private final UnackedDebts unacked;

  /**
   * Buckets with a request in flight that carries their debt, or whose debt is being changed. The
   * future completes when that has ended.
   */
  private final Map<BucketId, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();

  /** Locks a bucket while its debt is changed: the debt cannot be sent meanwhile. */
  private static final class DebtLock extends CompletableFuture<Void> {}

  /** The debts of all buckets; thread-safe. */
  interface DebtLedger {
    /** Whether there may be any debt at all. */
    boolean mayHaveDebts();

    /**
     * The amount admitted locally that has neither been charged in the store nor refilled since.
     */
    long debt(Pool pool, Key key);

    /**
     * The store has charged this amount.
     *
     * @param inFull whether it certainly charged all of it: an exhausted bucket takes only a part
     */
    void onCharged(Pool pool, Key key, long amount, boolean inFull);

    /** The time in µs, from any origin. */
    long micros();
  }

  /**
   * Carries the debts of a ledger.
   *
   * @param store looks at a draw in the store; must not throw
   */
  DebtCarrier(DebtLedger ledger, Function<Draw, CompletionStage<TakeResult>> store) {
    this.ledger = ledger;
    this.unacked = new UnackedDebts(store, ledger::micros);
  }

  /**
   * Attaches the debts of the draws' buckets.
   *
   * @param unavailable indexes of draws that are not sent to the store; draws are added whose
   *     bucket has a debt that cannot be sent now
   */
  List<Draw> attach(List<Draw> draws, BitSet unavailable) {
    if (!ledger.mayHaveDebts()) {
      return draws;
    }
    List<Draw> attached = new ArrayList<>(draws.size());
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (!unavailable.get(i) && canAttach(draw) && debtOf(draw) > 0) {
          BucketId bucket = BucketId.of(draw);
          unavailable.set(i, draw.startedMicros() != 0 || unacked.isPaused(bucket, draw));
          draw = unavailable.get(i) ? draw : attach(draw, bucket, i, unavailable);
        }
        attached.add(draw);
      }
      return attached;
    } catch (RuntimeException | Error e) {
      release(attached);
      throw e;
    }
  }

  private static boolean canAttach(Draw draw) {
    return draw.intent() != Draw.Intent.LOOK && draw.pool().onFail() == OnFail.LOCAL;
  }

  private long debtOf(Draw draw) {
    return ledger.debt(draw.pool(), draw.key());
  }

  private Draw attach(Draw draw, BucketId bucket, int index, BitSet unavailable) {
    CompletableFuture<Void> other = inFlight.putIfAbsent(bucket, new CompletableFuture<>());
    if (other != null) {
      unavailable.set(index, other instanceof DebtLock);
      return draw;
    }
    Draw attached = draw;
    try {
      // Read again under the lock: another call may have paid since.
      long owed = debtOf(draw);
      attached = owed == 0 ? draw : draw.withLease(draw.lease().withDebt(owed));
      return attached;
    } finally {
      if (attached == draw) {
        release(bucket);
      }
    }
  }

  /** Records the store's answer to draws that carried debts, or its absence. */
  void complete(List<Draw> draws, TakeResult result) {
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (draw.lease().debt() > 0) {
          LimitStatus status = result.statuses().get(i);
          if (status.answered()) {
            boolean inFull = status.remaining() > 0 || status.allowed() && draw.amount() > 0;
            ledger.onCharged(draw.pool(), draw.key(), draw.lease().debt(), inFull);
          } else if (isSent(result, i)) {
            unacked.begin(BucketId.of(draw));
          }
        }
      }
    } finally {
      release(draws);
    }
  }

  /** Whether the store may have received a draw, as far as known. */
  static boolean isSent(TakeResult result, int index) {
    return result.grants().isEmpty() || result.grants().get(index) != LeaseGrant.NOT_SENT;
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
   * Changes the debts of parts while no request in flight carries any of them: waits for requests
   * in flight and blocks new ones. A debt read before the change would charge the store too much.
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
