package io.weir.engine;

import io.weir.LimitKind;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.adjust.KeyControls;
import io.weir.adjust.TrafficControls;
import io.weir.base.Micros;
import io.weir.rule.index.RuleKeys.RuleKey;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Looks at, resets and grants tokens to one key of a rule, for operators. Works on every algorithm
 * and store, and on all shards of a limit.
 *
 * <p>A stage fails with {@link StoreUnavailableException} if a node did not answer. Then a part of
 * a rule with several limits or shards may have been changed; repeating the request is harmless for
 * a reset.
 */
final class KeyStateService {
  private final Store store;
  private final TimeSource time;

  KeyStateService(Store store, TimeSource time) {
    this.store = store;
    this.time = time;
  }

  /** The state of a key. Takes nothing. */
  CompletionStage<KeyView> look(CompiledRules rules, String rule, List<String> values) {
    long wall = time.wallMicros();
    RuleKey key = find(rules, rule, values, wall);
    return look(key, key.pools())
        .thenApply(buckets -> view(key, key.pools(), buckets, rules.controls(), wall));
  }

  /** Makes a key that of a new caller. */
  CompletionStage<KeyView> reset(CompiledRules rules, String rule, List<String> values) {
    RuleKey key = find(rules, rule, values, time.wallMicros());
    CompletionStage<SettlementResult> all = done();
    for (Pool pool : key.buckets()) {
      for (Pool bucket : shards(pool)) {
        all = and(all, store.reset(bucket, key.key()));
      }
    }
    return all.thenCompose(result -> lookIfDone(result, rules, rule, values));
  }

  /** Gives tokens back to every limit of a rule, up to its capacity. */
  CompletionStage<KeyView> grant(
      CompiledRules rules, String rule, List<String> values, long tokens) {
    if (tokens < 1) {
      throw new IllegalArgumentException("a grant is at least 1 token, not " + tokens);
    }
    RuleKey key = find(rules, rule, values, time.wallMicros());
    List<Pool> rates =
        key.buckets().stream()
            .filter(pool -> pool.meter().limit().kind() != LimitKind.CONCURRENCY)
            .toList();
    if (rates.isEmpty()) {
      throw new IllegalArgumentException(
          "rule " + rule + " has no limit that tokens can be given back to");
    }
    return look(key, rates)
        .thenCompose(buckets -> grant(key, rates, buckets, tokens))
        .thenCompose(result -> lookIfDone(result, rules, rule, values));
  }

  private CompletionStage<SettlementResult> grant(
      RuleKey key, List<Pool> pools, List<LimitStatus> buckets, long tokens) {
    CompletionStage<SettlementResult> all = done();
    int next = 0;
    for (Pool pool : pools) {
      List<Pool> shards = shards(pool);
      long[] amounts = divided(shards, buckets.subList(next, next + shards.size()), tokens);
      next += shards.size();
      for (int i = 0; i < amounts.length; i++) {
        if (amounts[i] > 0) {
          all = and(all, store.grant(shards.get(i), key.key(), amounts[i]));
        }
      }
    }
    return all;
  }

  /**
   * What each shard gets: the emptiest first, each up to its capacity. The rest goes to the
   * emptiest, which may be below empty.
   */
  private static long[] divided(List<Pool> shards, List<LimitStatus> buckets, long tokens) {
    long[] amounts = new long[shards.size()];
    int[] order =
        IntStream.range(0, amounts.length)
            .boxed()
            .sorted(Comparator.comparingLong(i -> -missing(shards.get(i), buckets.get(i))))
            .mapToInt(i -> i)
            .toArray();
    long left = tokens;
    for (int i : order) {
      amounts[i] = Math.min(left, missing(shards.get(i), buckets.get(i)));
      left -= amounts[i];
    }
    amounts[order[0]] += left;
    return amounts;
  }

  private static long missing(Pool pool, LimitStatus status) {
    return Math.max(0, pool.meter().capacity() - status.remaining());
  }

  private CompletionStage<KeyView> lookIfDone(
      SettlementResult result, CompiledRules rules, String rule, List<String> values) {
    return result == SettlementResult.UNAVAILABLE
        ? CompletableFuture.failedFuture(new StoreUnavailableException())
        : look(rules, rule, values);
  }

  private static RuleKey find(
      CompiledRules rules, String rule, List<String> values, long wallMicros) {
    return rules
        .index()
        .keys()
        .find(rule, values, "", rules.controls(), wallMicros)
        .orElseThrow(() -> new NoSuchElementException("no rule " + rule + " is in force"));
  }

  private static CompletionStage<SettlementResult> done() {
    return CompletableFuture.completedFuture(SettlementResult.DONE);
  }

  /** Unavailable if either is. */
  private static CompletionStage<SettlementResult> and(
      CompletionStage<SettlementResult> all, CompletionStage<SettlementResult> one) {
    return all.thenCombine(one, (a, b) -> b == SettlementResult.UNAVAILABLE ? b : a);
  }

  // ---- looking

  /** The pools that hold the buckets of a pool: its shards, or itself. */
  private static List<Pool> shards(Pool pool) {
    return pool.isSharded()
        ? IntStream.range(0, pool.shardedPool().size()).mapToObj(pool.shardedPool()::shard).toList()
        : List.of(pool);
  }

  /** The state of every bucket, shards one by one. */
  private CompletionStage<List<LimitStatus>> look(RuleKey key, List<Pool> pools) {
    List<Draw> looks = new ArrayList<>();
    for (Pool pool : pools) {
      for (Pool bucket : shards(pool)) {
        looks.add(new Draw(bucket, key.key(), 0, Mode.SHADOW, Draw.Intent.LOOK));
      }
    }
    return looks.isEmpty()
        ? CompletableFuture.completedFuture(List.of())
        : store.take(looks).thenApply(KeyStateService::answered);
  }

  private static List<LimitStatus> answered(TakeResult result) {
    for (LimitStatus status : result.statuses()) {
      if (status.degraded()) {
        throw new StoreUnavailableException();
      }
    }
    return result.statuses();
  }

  private static KeyView view(
      RuleKey key,
      List<Pool> pools,
      List<LimitStatus> buckets,
      TrafficControls controls,
      long wall) {
    List<KeyView.LimitView> limits = new ArrayList<>();
    int next = 0;
    for (Pool pool : pools) {
      long remaining = 0;
      long reset = 0;
      for (int shard = 0; shard < shards(pool).size(); shard++) {
        LimitStatus status = buckets.get(next++);
        remaining += status.remaining();
        reset = Math.max(reset, status.resetMicros());
      }
      limits.add(
          new KeyView.LimitView(
              pool.name(), pool.meter().limit(), remaining, Micros.toDuration(reset)));
    }
    String id = key.rule().id();
    boolean killed = controls.isKilled(id, key.tenant(), wall);
    Optional<KeyControls> ofKey = key.controls();
    return new KeyView(
        id,
        limits,
        ofKey.flatMap(it -> it.override(id, wall)),
        ofKey.flatMap(it -> it.signal(id, wall)),
        ofKey
            .map(it -> it.blockedUntil(id, wall))
            .filter(until -> until != KeyControls.NOT_BLOCKED && !killed)
            .map(until -> Instant.EPOCH.plus(until, ChronoUnit.MICROS)),
        killed);
  }
}
