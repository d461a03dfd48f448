package io.weir.tier;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Scale;
import io.weir.limit.LeaseBound;
import io.weir.store.Draw;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A tier before a store that says what it is told to, in virtual time. */
final class TierFixture {
  static final Key KEY = Key.of("somebody");

  final VirtualTime time = new VirtualTime();
  final ScriptedStore shared = new ScriptedStore();
  int instances = 1;
  final List<Throwable> errors = new ArrayList<>();
  final Tier tier;

  TierFixture() {
    this(MemoryStore.DEFAULT_MAX_KEYS);
  }

  /** With room for so many keys in the memory of the instance. */
  TierFixture(long maxKeys) {
    MemoryStore memory = MemoryStore.builder().maxKeys(maxKeys).time(time).build();
    this.tier = Tier.before(shared, memory, time, () -> instances, errors::add);
  }

  /** A pool that lends one per cent. */
  static Pool lending(String limit) {
    return pool("rule", limit).lending(LeaseBound.of(Limit.parse(limit), 10_000));
  }

  static Pool pool(String rule, String limit) {
    return new Pool(rule, rule, "1", Limit.parse(limit), false);
  }

  static Pool onFail(OnFail onFail, String limit) {
    return pool("rule", limit).onFail(onFail, Scale.ONE);
  }

  static Draw draw(Pool pool, long amount) {
    return new Draw(pool, KEY, amount, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  CompletableFuture<Taking> take(Draw... draws) {
    return tier.take(List.of(draws)).toCompletableFuture();
  }

  CompletableFuture<Taking> take(Pool pool, long amount) {
    return take(draw(pool, amount));
  }

  /** Takes so much in one call that the store admits. */
  void takeFromStore(Pool pool, long amount) {
    take(pool, amount);
    shared.next().admit(1000);
  }

  /** Has a lease of so many tokens in hand, after a crowd of calls. */
  void lend(Pool pool, long tokens) {
    takeFromStore(pool, 1);
    takeFromStore(pool, 1);
    time.advance(Duration.ofMillis(100));
    take(pool, 100);
    shared.next().admit(1000, tokens);
  }
}
