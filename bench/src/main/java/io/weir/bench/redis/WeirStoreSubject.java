package io.weir.bench.redis;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.bench.run.Allowance;
import io.weir.redis.RedisStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Weir's store alone: draws in, results out. */
final class WeirStoreSubject implements RedisSubject {
  private final RedisStore store;
  private final List<Pool> pools;

  WeirStoreSubject(RedisEndpoint endpoint, Allowance allowance, int rules) {
    Limit limit = WeirRulesSubject.limit(allowance);
    this.store = WeirRulesSubject.open(endpoint);
    this.pools =
        IntStream.range(0, rules)
            .mapToObj(
                rule ->
                    new Pool("rule" + rule, "rule" + rule, "0", limit, false).withDimension("user"))
            .toList();
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    Key of = Key.of(key);
    List<Draw> draws =
        pools.stream().map(pool -> new Draw(pool, of, 1, Mode.ENFORCE, Draw.Intent.TAKE)).toList();
    return store.take(draws).thenApply(taking -> taking.taken());
  }

  @Override
  public void close() {
    store.close();
  }
}
