package io.weir.near;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.limit.LeaseCap;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A near store in front of a {@link ScriptedStore}, in virtual time. */
public final class NearStoreFixture {
  public static final Key KEY = Key.of("somebody");

  public final VirtualTime time = new VirtualTime();
  public final ScriptedStore shared = new ScriptedStore();
  public int instances = 1;
  public final List<Throwable> errors = new ArrayList<>();
  public final NearStore near;

  public NearStoreFixture() {
    this(MemoryStore.DEFAULT_MAX_KEYS);
  }

  /** A near store whose memory has room for this many keys. */
  NearStoreFixture(long maxKeys) {
    MemoryStore memory = MemoryStore.builder().maxKeys(maxKeys).time(time).build();
    this.near = NearStore.before(shared, memory, time, () -> instances, errors::add);
  }

  /** A pool with a lease cap of 1%. */
  public static Pool lending(String limit) {
    return pool("rule", limit).withLeaseCap(LeaseCap.of(Limit.parse(limit), 10_000));
  }

  public static Pool pool(String rule, String limit) {
    return new Pool(rule, rule, "1", Limit.parse(limit), false);
  }

  public static Pool onFail(OnFail onFail, String limit) {
    return pool("rule", limit).onFail(onFail, Ratio.ONE);
  }

  public static Draw draw(Pool pool, long amount) {
    return new Draw(pool, KEY, amount, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  public CompletableFuture<TakeResult> take(Draw... draws) {
    return near.take(List.of(draws)).toCompletableFuture();
  }

  public CompletableFuture<TakeResult> take(Pool pool, long amount) {
    return take(draw(pool, amount));
  }

  /** Takes an amount in one call that the store admits. */
  public void takeFromStore(Pool pool, long amount) {
    take(pool, amount);
    shared.next().admit(1000);
  }

  /** Makes the demand of a hot key, and leases this many tokens. */
  public void lend(Pool pool, long tokens) {
    takeFromStore(pool, 1);
    takeFromStore(pool, 1);
    time.advance(Duration.ofMillis(100));
    take(pool, 100);
    shared.next().admit(1000, tokens);
  }
}
