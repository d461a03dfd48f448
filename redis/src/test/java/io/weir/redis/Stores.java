package io.weir.redis;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.testkit.contract.Calls;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Short words for stores on the clock of a real Redis. */
final class Stores {
  /** Long enough that only what hangs is late. */
  static final Duration PATIENT = Duration.ofSeconds(5);

  /** So much that no test uses it up; a token an hour comes back, so takes can be counted. */
  static final long PLENTY = 1_000_000;

  private Stores() {}

  /** A store that has reached its Redis. */
  static RedisStore ready(RedisOptions options) {
    RedisStore store = RedisStore.open(options, SystemTime.INSTANCE);
    try {
      store.ready().toCompletableFuture().get(30, SECONDS);
      return store;
    } catch (Exception e) {
      store.close();
      throw new AssertionError("the store did not become ready", e);
    }
  }

  static RedisStore ready(String uri, Duration timeout) {
    return ready(RedisOptions.of(uri).timeout(timeout));
  }

  /** A bucket of {@link #PLENTY}. */
  static Pool plenty(String rule) {
    return new Pool(rule, rule, "1", Limit.parse("1/h burst=" + PLENTY), false);
  }

  static Draw one(Pool pool, String key) {
    return new Draw(pool, Key.of(key), 1, Mode.ENFORCE, Intent.TAKE);
  }

  /** How many were taken from a bucket of plenty. */
  static long taken(RedisStore store, Pool pool, String key) {
    Draw look = new Draw(pool, Key.of(key), 1, Mode.ENFORCE, Intent.LOOK);
    for (int i = 0; i < 50; i++) {
      Standing standing = Calls.get(store.take(List.of(look))).standings().get(0);
      if (standing.answered()) {
        return PLENTY - standing.remaining();
      }
      CompletableFuture.runAsync(
              () -> {},
              CompletableFuture.delayedExecutor(100, java.util.concurrent.TimeUnit.MILLISECONDS))
          .join();
    }
    throw new AssertionError("the store does not answer");
  }
}
