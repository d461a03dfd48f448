package io.weir.server.check;

import io.weir.Algorithm;
import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.server.http.HttpProblemException;
import io.weir.server.metrics.Metrics;
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
 * Limits whose numbers callers send with each request, in a separate key space. A key keeps its
 * usage when a request brings other numbers; with another algorithm it starts fresh.
 *
 * <p>All event loops share it and its cache of recent pools, because the store identifies a pool by
 * its instance. The cache has two generations. A full young generation becomes the old one; a pool
 * of the old one survives only if it is used again before the young one is full.
 */
public final class AdHocLimits {
  private static final int CACHED = 1024;
  private static final int GENERATION = CACHED / 2;

  /** No rule can have this id, and no key of a rule starts with this dimension. */
  public static final String NAME = Metrics.AD_HOC_RULE;

  /** The numbers of a request. */
  record AdHocNumbers(Algorithm algorithm, long limit, long windowMillis, long burst) {}

  private final Store store;
  private final Consumer<LimitStatus> onDecision;
  private volatile Map<AdHocNumbers, Pool> young = new ConcurrentHashMap<>();
  private Map<AdHocNumbers, Pool> old = Map.of();

  /**
   * Limits in a store.
   *
   * @param onDecision called with every decision
   */
  public AdHocLimits(Store store, Consumer<LimitStatus> onDecision) {
    this.store = store;
    this.onDecision = onDecision;
  }

  /**
   * Takes {@code weight} from a key if it has that much left.
   *
   * @throws HttpProblemException if the limit is invalid
   */
  CompletionStage<LimitStatus> take(String key, AdHocNumbers numbers, long weight) {
    Pool known = young.get(numbers);
    Pool pool = known == null ? cached(numbers) : known;
    // The response has no field for a delay, so a call is admitted without one or refused.
    Draw draw = new Draw(pool, Key.of(key), weight, Mode.ENFORCE, Draw.Intent.TAKE_NOW);
    return store
        .take(List.of(draw))
        .thenApply(
            taking -> {
              LimitStatus status = taking.statuses().get(0);
              onDecision.accept(status);
              return status;
            });
  }

  private synchronized Pool cached(AdHocNumbers numbers) {
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
                "algorithm", numbers.algorithm() + " needs a rule; it is not available here");
      };
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badField("limit", "invalid limit: " + e.getMessage());
    }
  }
}
