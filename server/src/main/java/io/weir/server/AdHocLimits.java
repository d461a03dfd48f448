package io.weir.server;

import io.weir.Algorithm;
import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Limits that callers bring along with each question, in a key space of their own. A key keeps what
 * it has taken when it comes with other numbers; with another algorithm it starts fresh.
 *
 * <p>One per event loop: it remembers the limits it has made lately, the store is shared.
 */
final class AdHocLimits {
  private static final int REMEMBERED = 1024;

  /** No rule can have this id, and no key of a rule begins with this dimension. */
  static final String NAME = "/ratelimit/check";

  /** The numbers of a question, as it was asked. */
  record Numbers(Algorithm algorithm, long limit, long windowMillis, long burst) {}

  private final Store store;
  private final Consumer<Standing> decided;
  private final Map<Numbers, Pool> pools =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Numbers, Pool> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Limits in a store.
   *
   * @param decided hears of every decision
   */
  AdHocLimits(Store store, Consumer<Standing> decided) {
    this.store = store;
    this.decided = decided;
  }

  /**
   * Takes {@code weight} of a key if it has it.
   *
   * @throws HttpProblem if there can be no such limit
   */
  CompletionStage<Standing> take(String key, Numbers numbers, long weight) {
    Pool pool = pools.get(numbers);
    if (pool == null) {
      pool = new Pool(NAME, NAME, "1", limit(numbers), false).about(NAME);
      pools.put(numbers, pool);
    }
    // The answer has no room for a delay, so traffic is never shaped: it goes at once or not.
    Draw draw = new Draw(pool, Key.of(key), weight, Mode.ENFORCE, Draw.Intent.TAKE_NOW);
    return store
        .take(List.of(draw))
        .thenApply(
            taking -> {
              Standing standing = taking.standings().get(0);
              decided.accept(standing);
              return standing;
            });
  }

  private static Limit limit(Numbers numbers) {
    Duration window = Duration.ofMillis(numbers.windowMillis());
    long n = numbers.limit();
    try {
      return switch (numbers.algorithm()) {
        case TOKEN_BUCKET -> Limit.of(n, window).burst(numbers.burst());
        case LEAKY_BUCKET -> Limit.leakyBucket(n, window);
        case FIXED_WINDOW -> new FixedWindow(n, window, false, "");
        case SLIDING_WINDOW -> Limit.slidingWindow(n, window);
        case SLIDING_LOG -> Limit.slidingLog(n, window);
        case QUOTA, CONCURRENCY ->
            throw HttpProblem.badField(
                "algorithm", numbers.algorithm() + " needs a rule; it is not for single checks");
      };
    } catch (IllegalArgumentException e) {
      throw HttpProblem.badField("limit", "there is no such limit: " + e.getMessage());
    }
  }
}
