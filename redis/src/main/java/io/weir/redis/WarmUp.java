package io.weir.redis;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks a store about keys that nobody has, so that every script, connection and algorithm has been
 * used before the first real call. It looks, and releases what nobody holds: nothing is taken and
 * nothing written. The keys are of so many that every node is asked about some.
 */
final class WarmUp {
  private static final int ROUNDS = 12;
  private static final int MOST = 28;
  private static final long NO_RESERVATION = 0;

  private static final List<Pool> POOLS =
      List.of(
          pool("10/s"),
          pool("leaky-bucket 10/s"),
          pool("fixed-window 10/s"),
          pool("sliding-window 10/s"),
          pool("sliding-log 10/s"),
          pool("quota 10/day"),
          pool("concurrency 10"));

  private final RedisStore store;

  WarmUp(RedisStore store) {
    this.store = store;
  }

  private static Pool pool(String limit) {
    return new Pool("warm-up", "", "0", Limit.parse(limit), false).about("warm-up");
  }

  CompletionStage<Void> run() {
    CompletionStage<Void> done = CompletableFuture.completedFuture(null);
    for (int round = 0; round < ROUNDS; round++) {
      int first = round * MOST;
      int count = Math.min(MOST, 1 << round);
      done = done.thenCompose(before -> ask(first, count));
    }
    return done;
  }

  private static Draw look(Pool pool, Key key) {
    return new Draw(pool, key, 1, Mode.ENFORCE, Draw.Intent.LOOK, 1);
  }

  /**
   * A round of questions at once, so that a node far away is warm soon too. The first rounds are
   * small: they wait for code to be loaded, and may be late.
   */
  private CompletionStage<Void> ask(int first, int count) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int i = first; i < first + count; i++) {
      Pool pool = POOLS.get(i % POOLS.size());
      Key key = Key.of("nobody-" + i);
      Draw look = look(pool, key);
      Draw another = look(POOLS.get(0), key);
      Held held = new Held(pool, key, 1, 1, new Stamp(0, 0));
      asked.add(store.take(List.of(look)).toCompletableFuture());
      asked.add(store.take(List.of(look, another)).toCompletableFuture());
      asked.add(store.release(NO_RESERVATION, List.of(held)).toCompletableFuture());
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
  }
}
