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
import java.util.stream.Stream;

/**
 * Asks a store about keys that nobody has, so that every script, connection and algorithm has been
 * used before the first real call. It looks, and releases what nobody holds: nothing is taken and
 * nothing written. The keys are of so many that every node is asked about some.
 */
final class WarmUp {
  private static final int ROUNDS = 12;
  private static final int MOST = 28;
  private static final long NO_RESERVATION = 0;

  private static final List<Limit> LIMITS =
      Stream.of(
              "10/s",
              "leaky-bucket 10/s",
              "fixed-window 10/s",
              "sliding-window 10/s",
              "sliding-log 10/s",
              "quota 10/day",
              "concurrency 10")
          .map(Limit::parse)
          .toList();

  private final RedisStore store;
  private final List<Pool> pools;

  /**
   * A warm-up of where the keys of a rule live.
   *
   * @param rule it need not be there
   */
  WarmUp(RedisStore store, String rule) {
    this.store = store;
    this.pools =
        LIMITS.stream()
            .map(limit -> new Pool(rule, "", "0", limit, false).about("warm-up"))
            .toList();
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
      Pool pool = pools.get(i % pools.size());
      Key key = Key.of("nobody-" + i);
      Draw look = look(pool, key);
      Draw another = look(pools.get(0), key);
      Held held = new Held(pool, key, 1, 1, new Stamp(0, 0));
      asked.add(store.take(List.of(look)).toCompletableFuture());
      asked.add(store.take(List.of(look, another)).toCompletableFuture());
      asked.add(store.release(NO_RESERVATION, List.of(held)).toCompletableFuture());
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
  }
}
