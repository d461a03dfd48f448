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
 * Takes what calls draw where limits are split into shards.
 *
 * <pre>
 *   draws ─► a shard each, at random ─► taken ──────────────────────────────► how the whole stands
 *                  all or none     └─► only shards refused ─► another each ─►
 *                                                             all or none
 * </pre>
 *
 * <p>A call is tried twice at most, and takes nothing in the try that is refused. One that any
 * other limit refuses is not tried again; nor is one refused by a rule that counts refusals, as it
 * would count twice. Of two refusals the shorter wait is told. A shadow limit that alone refuses is
 * asked again alone, after the call was taken. Both tries share one deadline.
 *
 * <p>One random number picks for the whole call, so that rules about the same key with as many
 * shards meet in one place.
 */
public final class ShardedExecutor {
  private static final SecureRandom UNGUESSABLE = new SecureRandom();

  private final Store store;
  private final LongSupplier ids;
  private final IntSupplier random;
  private final TimeSource time;

  /**
   * Shards of the pools in a store.
   *
   * @param ids what to reserve by
   * @param random what picks
   */
  ShardedExecutor(Store store, LongSupplier ids, IntSupplier random, TimeSource time) {
    this.store = store;
    this.ids = ids;
    this.random = random;
    this.time = time;
  }

  /** Shards of the pools in a store, picked at random; nobody can guess an id. */
  public static ShardedExecutor in(Store store, TimeSource time) {
    return new ShardedExecutor(
        store, UNGUESSABLE::nextLong, () -> ThreadLocalRandom.current().nextInt(), time);
  }

  /** Draws, by taking or by reserving. */
  private interface DrawMethod {
    CompletionStage<TakeResult> send(long id, List<Draw> draws);
  }

  /** Takes the draws. */
  CompletionStage<ShardAttempt> take(List<Draw> draws) {
    return decide(draws, () -> 0, (id, some) -> store.take(some));
  }

  /** Takes the draws, to be settled by the id of what comes of it. */
  CompletionStage<ShardAttempt> reserve(List<Draw> draws) {
    return decide(draws, ids, store::reserve);
  }

  /** An id to reserve by. */
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

  // ---- the second try

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

  /** Whether a refusal of this draw may be different in another shard, and may be asked for. */
  private static boolean canRetry(Draw draw) {
    boolean counted = draw.pool().countDenied() && draw.mode() == Mode.ENFORCE && !draw.isLook();
    return !counted && draw.pool().isSharded() && draw.pool().shardedPool().hasOther(draw.amount());
  }

  /** The draws with the refused ones in other shards; only those, if the rest has been taken. */
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
