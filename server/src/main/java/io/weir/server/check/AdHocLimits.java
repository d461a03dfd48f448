package io.weir.server.check;

import io.weir.Algorithm;
import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.server.http.HttpProblemException;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Limits that callers bring along with each question, in a key space of their own. A key keeps what
 * it has taken when it comes with other numbers; with another algorithm it starts fresh.
 *
 * <p>All event loops share it, and the pools it has made lately: what the store remembers of a
 * pool, it remembers of that very one. They live in two generations: when the young one is full it
 * becomes the old one, from which only those are kept that are asked for before the next is full.
 */
public final class AdHocLimits {
  private static final int REMEMBERED = 1024;
  private static final int GENERATION = REMEMBERED / 2;

  /** No rule can have this id, and no key of a rule begins with this dimension. */
  public static final String NAME = "/ratelimit/check";

  /** The numbers of a question, as it was asked. */
  record AdHocNumbers(Algorithm algorithm, long limit, long windowMillis, long burst) {}

  private final Store store;
  private final Consumer<LimitStatus> decided;
  private volatile Map<AdHocNumbers, Pool> young = new ConcurrentHashMap<>();
  private Map<AdHocNumbers, Pool> old = Map.of();

  /**
   * Limits in a store.
   *
   * @param decided hears of every decision
   */
  public AdHocLimits(Store store, Consumer<LimitStatus> decided) {
    this.store = store;
    this.decided = decided;
  }

  /**
   * Takes {@code weight} of a key if it has it.
   *
   * @throws HttpProblemException if there can be no such limit
   */
  CompletionStage<LimitStatus> take(String key, AdHocNumbers numbers, long weight) {
    Pool known = young.get(numbers);
    Pool pool = known == null ? remembered(numbers) : known;
    // The answer has no room for a delay, so traffic is never shaped: it goes at once or not.
    Draw draw = new Draw(pool, Key.of(key), weight, Mode.ENFORCE, Draw.Intent.TAKE_NOW);
    return store
        .take(List.of(draw))
        .thenApply(
            taking -> {
              LimitStatus standing = taking.statuses().get(0);
              decided.accept(standing);
              return standing;
            });
  }

  private synchronized Pool remembered(AdHocNumbers numbers) {
    Pool known = young.get(numbers);
    if (known != null) {
      return known;
    }
    Pool older = old.get(numbers);
    Pool pool =
        older == null
            ? new Pool(NAME, NAME, "1", limit(numbers), false).withDimension(NAME)
            : older;
    if (young.size() >= GENERATION) {
      old = young;
      young = new ConcurrentHashMap<>();
    }
    young.put(numbers, pool);
    return pool;
  }

  private static Limit limit(AdHocNumbers numbers) {
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
            throw HttpProblemException.badField(
                "algorithm", numbers.algorithm() + " needs a rule; it is not for single checks");
      };
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badField("limit", "there is no such limit: " + e.getMessage());
    }
  }
}
