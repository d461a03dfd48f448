package io.weir.engine;

import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Takes draws from limits that are split into shards.
 *
 * <pre>
 *   draws ─► a shard each, at random ─► taken ──────────────────────────────► status of the whole
 *                  all or none     └─► only shards refused ─► another each ─►
 *                                                             all or none
 * </pre>
 *
 * <p>A call is attempted at most twice, and a refused attempt takes nothing. There is no second
 * attempt if a limit without shards refuses, or a rule that counts refusals, as the refusal would
 * count twice. Of two refusals the one with the shorter wait is reported. If only a shadow limit
 * refuses, the call is taken, and that limit is tried again by itself. Both attempts share one
 * deadline.
 *
 * <p>One random number selects the shards of the whole call. So rules with the same key and the
 * same number of shards draw from the same slot of the store.
 */
public final class ShardedExecutor {
  private static final SecureRandom UNGUESSABLE = new SecureRandom();

  private final Store store;
  private final LongSupplier ids;
  private final IntSupplier random;
  private final TimeSource time;

  /**
   * Creates an executor.
   *
   * @param ids the ids of reservations
   * @param random selects shards
   */
  ShardedExecutor(Store store, LongSupplier ids, IntSupplier random, TimeSource time) {
    this.store = store;
    this.ids = ids;
    this.random = random;
    this.time = time;
  }

  /** An executor that selects shards at random, with reservation ids that cannot be guessed. */
  public static ShardedExecutor in(Store store, TimeSource time) {
    return new ShardedExecutor(
        store, UNGUESSABLE::nextLong, () -> ThreadLocalRandom.current().nextInt(), time);
  }

  /** Sends draws, to take or to reserve. */
  private interface DrawMethod {
    CompletionStage<TakeResult> send(long id, List<Draw> draws);
  }

  /** Takes the draws. */
  CompletionStage<ShardAttempt> take(List<Draw> draws) {
    return decide(draws, () -> 0, (id, some) -> store.take(some));
  }

  /** Takes the draws, to be settled by the id of the attempt. */
  CompletionStage<ShardAttempt> reserve(List<Draw> draws) {
    return decide(draws, ids, store::reserve);
  }

  /** A new reservation id. */
  long newId() {
    return ids.getAsLong();
  }

  private CompletionStage<ShardAttempt> decide(
      List<Draw> draws, LongSupplier ids, DrawMethod asking) {
    if (!anySplit(draws)) {
      return attempt(ids.getAsLong(), draws, asking);
    }
    long begun = time.micros();
    int pick = random.getAsInt();
    List<Draw> picked = new ArrayList<>(draws.size());
    for (Draw draw : draws) {
      Pool pool = draw.pool();
      picked.add(
          pool.isSharded() ? draw.withPool(pool.shardedPool().pick(draw.amount(), pick)) : draw);
    }
    return attempt(ids.getAsLong(), picked, asking)
        .thenCompose(first -> retryRefused(first, ids, asking, begun))
        .thenApply(ShardAttempt::ofWhole);
  }

  private static boolean anySplit(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).pool().isSharded()) {
        return true;
      }
    }
    return false;
  }

  private static CompletionStage<ShardAttempt> attempt(
      long id, List<Draw> draws, DrawMethod asking) {
    return asking.send(id, draws).thenApply(result -> new ShardAttempt(id, draws, result));
  }

  // ---- the second attempt

  private CompletionStage<ShardAttempt> retryRefused(
      ShardAttempt first, LongSupplier ids, DrawMethod asking, long begun) {
    boolean[] refused = first.refused();
    boolean any = false;
    for (int i = 0; i < refused.length; i++) {
      Draw draw = first.draws().get(i);
      boolean movable = canRetry(draw);
      if (refused[i] && !movable && draw.mode() == Mode.ENFORCE) {
        return CompletableFuture.completedFuture(first);
      }
      refused[i] &= movable;
      any |= refused[i];
    }
    if (!any) {
      return CompletableFuture.completedFuture(first);
    }
    List<Draw> moved = retryDraws(first, refused, begun);
    if (first.result().taken()) {
      return attempt(first.id(), moved, asking)
          .thenApply(again -> first.withRetried(refused, again));
    }
    return attempt(ids.getAsLong(), moved, asking).thenApply(again -> again.betterOf(first));
  }

  /** Whether another shard may admit a refused draw, and may be tried. */
  private static boolean canRetry(Draw draw) {
    boolean counted = draw.pool().countDenied() && draw.mode() == Mode.ENFORCE && !draw.isLook();
    return !counted && draw.pool().isSharded() && draw.pool().shardedPool().hasOther(draw.amount());
  }

  /**
   * The draws of the second attempt, with the refused ones in other shards; only those if the
   * others have been taken.
   */
  private List<Draw> retryDraws(ShardAttempt first, boolean[] refused, long begun) {
    int pick = random.getAsInt();
    List<Draw> moved = new ArrayList<>(refused.length);
    for (int i = 0; i < refused.length; i++) {
      Draw draw = first.draws().get(i);
      if (refused[i]) {
        Pool other = draw.pool().shardedPool().other(draw.pool(), draw.amount(), pick);
        moved.add(draw.withPool(other).retryOf(begun));
      } else if (!first.result().taken()) {
        moved.add(draw.retryOf(begun));
      }
    }
    return moved;
  }
}
