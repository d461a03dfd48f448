package io.weir.observe;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Follows the counts of quotas, for checkpoints outside the store, and raises counts that the store
 * has lost. A call without a quota costs one comparison per draw. Rules of scope {@code instance}
 * are not followed.
 */
public final class QuotaUsage extends ForwardingStore {
  /** The most counts followed at once; calls of further keys are not followed. */
  static final int MAX_KEYS = 100_000;

  /** A raise is applied only so soon after the count was read, by the store's clock. */
  private static final Duration RAISE_WITHIN = Duration.ofSeconds(10);

  /** How long a second raise with the same id is ignored; longer than the time above. */
  private static final Duration RAISE_MARKED = Duration.ofSeconds(60);

  private record BucketKey(String rule, String slot, Key key) {}

  private final Store counters;
  private final TimeSource time;
  private final Map<BucketKey, QuotaCount> counts = new ConcurrentHashMap<>();
  private final LongAdder unfollowed = new LongAdder();

  /**
   * Follows the draws on a store.
   *
   * @param counters the store that holds the counts, without leases and caches in front
   */
  public QuotaUsage(Store watched, Store counters, TimeSource time) {
    super(watched);
    this.counters = counters;
    this.time = time;
  }

  /** The counts followed now. */
  public Collection<QuotaCount> counts() {
    return counts.values();
  }

  /** Stops following counts whose period is over. */
  public void forgetEnded() {
    long now = time.wallMicros();
    counts.values().removeIf(count -> count.isOver(now));
  }

  /** The number of draws that were not followed, as there are too many keys. */
  public long unfollowed() {
    return unfollowed.sum();
  }

  // ---- draws

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    CompletionStage<TakeResult> result = super.take(draws);
    return hasQuota(draws) ? result.thenApply(taken -> follow(draws, taken)) : result;
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    CompletionStage<TakeResult> result = super.reserve(reservation, draws);
    return hasQuota(draws) ? result.thenApply(taken -> follow(draws, taken)) : result;
  }

  private static boolean hasQuota(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      if (isQuota(draws.get(i).pool())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isQuota(Pool pool) {
    return pool.meter().limit().algorithm() == Algorithm.QUOTA && !pool.isLocal();
  }

  private TakeResult follow(List<Draw> draws, TakeResult result) {
    for (int i = 0; i < result.statuses().size(); i++) {
      LimitStatus status = result.statuses().get(i);
      Draw draw = draws.get(result.drawIndexOf(i));
      if (isQuota(draw.pool()) && status.answered() && !status.degraded()) {
        long used = draw.pool().meter().capacity() - status.remaining();
        QuotaCount count = countOf(draw.pool(), draw.key(), true);
        if (count != null) {
          count.onCount(draw.pool(), used, time.wallMicros());
        }
      }
    }
    return result;
  }

  private @Nullable QuotaCount countOf(Pool pool, Key key, boolean create) {
    BucketKey bucket = new BucketKey(pool.rule(), pool.slot(), key);
    QuotaCount known = counts.get(bucket);
    if (known != null || !create) {
      return known;
    }
    if (counts.size() >= MAX_KEYS) {
      unfollowed.increment();
      return null;
    }
    return counts.computeIfAbsent(bucket, it -> new QuotaCount(pool, key));
  }

  // ---- what lowers a count

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return super.settle(reservation, parts, terms)
        .thenApply(
            result -> {
              if (result == SettlementResult.DONE) {
                parts.forEach(
                    part -> lowered(part.pool(), part.key(), part.amount() - part.actualAmount()));
              }
              return result;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    lowered(pool, key, amount);
    return super.refund(pool, key, amount);
  }

  private void lowered(Pool pool, Key key, long amount) {
    QuotaCount count = amount > 0 && isQuota(pool) ? countOf(pool, key, false) : null;
    if (count != null) {
      count.onGivenBack(amount);
    }
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    QuotaCount count = isQuota(pool) ? followed(pool, key) : null;
    return super.reset(pool, key)
        .thenApply(
            result -> {
              if (count != null && result != SettlementResult.UNAVAILABLE) {
                count.onReset();
              }
              return result;
            });
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    QuotaCount count = isQuota(pool) ? followed(pool, key) : null;
    return super.grant(pool, key, amount)
        .thenApply(
            result -> {
              if (count != null && result != SettlementResult.UNAVAILABLE) {
                count.onGrant(amount);
              }
              return result;
            });
  }

  /** The count of a key that an operator changes, which may be new to this instance. */
  private @Nullable QuotaCount followed(Pool pool, Key key) {
    QuotaCount known = countOf(pool, key, false);
    if (known != null) {
      return known;
    }
    QuotaCount made = countOf(pool, key, true);
    if (made != null) {
      made.onCount(pool, 0, time.wallMicros());
    }
    return made;
  }

  // ---- restoring

  /**
   * Raises a count to at least this number if the store holds less than half of it. Instances that
   * try the same with the same id within a minute raise it once.
   *
   * @return whether the store now holds a count that was compared with this number; false if it is
   *     unavailable
   */
  public CompletionStage<Boolean> raise(QuotaCount count, long known, long id) {
    Pool pool = count.pool();
    Draw look = new Draw(pool, count.key(), 0, Mode.ENFORCE, Draw.Intent.TAKE);
    return counters
        .reserve(ThreadLocalRandom.current().nextLong(), List.of(look))
        .thenCompose(
            result -> {
              if (result.receipts().isEmpty()
                  || result.receipts().get(0).origin() != TakeReceipt.Origin.STORE) {
                return CompletableFuture.completedFuture(false);
              }
              TakeReceipt receipt = result.receipts().get(0);
              return receipt.used() >= known / 2
                  ? CompletableFuture.completedFuture(true)
                  : charge(pool, count.key(), known - receipt.used(), receipt, id);
            });
  }

  private CompletionStage<Boolean> charge(
      Pool pool, Key key, long amount, TakeReceipt receipt, long id) {
    ReservedPart part = new ReservedPart(pool, key, 0, amount, receipt);
    return counters
        .settle(id, List.of(part), new SettlementTerms(RAISE_WITHIN, RAISE_MARKED))
        .thenApply(result -> result != SettlementResult.UNAVAILABLE);
  }
}
