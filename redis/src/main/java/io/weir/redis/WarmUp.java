package io.weir.redis;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks a store about keys that nobody has, so that scripts, connections and code have been used
 * before the first real call. It only looks: nothing is taken and nothing written. The keys are of
 * so many that every node is asked about some.
 */
final class WarmUp {
  private static final int ROUNDS = 300;

  private static final List<Pool> POOLS =
      List.of(pool("token-bucket", 10), pool("sliding-window", 10), pool("fixed-window", 10));

  private final RedisStore store;

  WarmUp(RedisStore store) {
    this.store = store;
  }

  private static Pool pool(String algorithm, int rate) {
    return new Pool("warm-up", "", "0", Limit.parse(algorithm + " " + rate + "/s"), false);
  }

  CompletionStage<Void> run() {
    return round(0);
  }

  private CompletionStage<Void> round(int done) {
    if (done == ROUNDS) {
      return CompletableFuture.completedFuture(null);
    }
    Pool pool = POOLS.get(done % POOLS.size());
    Draw look = new Draw(pool, Key.of("nobody-" + done), 1, Mode.ENFORCE, Draw.Intent.LOOK, 1);
    return store.take(List.of(look)).thenComposeAsync(taking -> round(done + 1));
  }
}
