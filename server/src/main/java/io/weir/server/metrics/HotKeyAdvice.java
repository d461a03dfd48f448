package io.weir.server.metrics;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.limit.LeaseCap;
import io.weir.limit.LimitDivision;
import io.weir.observe.HotKeySketch.HotKey;
import io.weir.rule.Accuracy;
import io.weir.store.Pool;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Suggested changes for a key that causes very many calls to one node of the store. One of them is
 * enough; the best is first. The log, the admin API and the console use the same text.
 */
public record HotKeyAdvice(List<SuggestedChange> changes) {
  /** Shards suggested for a rule without any; a sharded rule gets twice as many as it has. */
  private static final int INITIAL_SHARDS = 8;

  private static final int MAX_SHARDS = 1024;

  /** Least capacity of a shard; smaller ones refuse too many calls that the whole limit allows. */
  private static final long MIN_SHARD_CAPACITY = 100;

  /**
   * Least calls per second on this instance from which the rate of other instances is extrapolated.
   */
  private static final double MIN_LOCAL_CALLS_PER_SECOND = 50;

  private static final Accuracy COARSE_ACCURACY = Accuracy.of("5%");

  private static final String ALLOWS_LARGER_LEASES =
      " would allow larger leases, so that more of its calls are answered from memory";

  /** The section of a document that a change belongs to. */
  public enum ConfigSection {
    /** The rule, in the rule document. */
    RULE,
    /** The limit named in the text, in the rule or in its tier. */
    LIMIT,
    /** {@code store}, in the configuration of the process. */
    STORE;

    public String id() {
      return switch (this) {
        case RULE -> "rule";
        case LIMIT -> "limit";
        case STORE -> "store";
      };
    }
  }

  /**
   * One suggested change.
   *
   * @param effect its effect, as part of a sentence
   * @param line the line of YAML to write
   */
  public record SuggestedChange(String effect, ConfigSection section, String line) {}

  /**
   * Advice on a key, if it causes enough calls to the store and a change would help.
   *
   * @param advisor provides the number of instances; each is assumed to cause as many calls as this
   *     one
   */
  static Optional<HotKeyAdvice> on(HotKey key, HotKeyAdvisor advisor) {
    double localPerSecond = key.storePerSecond();
    boolean hot =
        localPerSecond >= MIN_LOCAL_CALLS_PER_SECOND
            && localPerSecond * advisor.instances().getAsInt() >= HotKeyLogger.HOT;
    if (!hot || key.pool().isLocal()) {
      return Optional.empty();
    }
    String rule = key.pool().rule();
    List<SuggestedChange> applicable =
        changes(key.pool(), advisor.spreads(rule))
            .filter(
                change -> change.section() != ConfigSection.STORE || advisor.isWorthOwnRedis(rule))
            .toList();
    return applicable.isEmpty() ? Optional.empty() : Optional.of(new HotKeyAdvice(applicable));
  }

  private static Stream<SuggestedChange> changes(Pool pool, boolean onSeveralNodes) {
    Limit limit = pool.meter().limit();
    if (LeaseCap.of(limit, Accuracy.DEFAULT.millionths()) == 0) {
      return Stream.of(ownRedis("", pool));
    }
    if (pool.leaseCap() > 0) {
      return Stream.concat(
          largerLeases(pool).stream(), Stream.of(shards("", pool, onSeveralNodes)));
    }
    String accuracy = "accuracy: " + Accuracy.DEFAULT;
    return Stream.of(
        new SuggestedChange(
            accuracy + " would answer most of its calls from memory", ConfigSection.RULE, accuracy),
        shards("where it must be exact, ", pool, onSeveralNodes));
  }

  /** A change that allows larger leases. */
  private static Optional<SuggestedChange> largerLeases(Pool pool) {
    Limit limit = pool.meter().limit();
    if (LeaseCap.of(limit, COARSE_ACCURACY.millionths()) >= 2 * pool.leaseCap()) {
      String line = "accuracy: " + COARSE_ACCURACY;
      return Optional.of(
          new SuggestedChange(line + ALLOWS_LARGER_LEASES, ConfigSection.RULE, line));
    }
    if (limit instanceof TokenBucket bucket && !pool.isSharded() && isCappedByBurst(pool)) {
      long burst = Math.max(2 * bucket.capacity(), tokensIn200Millis(bucket));
      String line = "burst: " + burst;
      String where = " for its limit of " + bucket;
      String price =
          ", but admit up to " + burst + " calls at once instead of " + bucket.capacity();
      return Optional.of(
          new SuggestedChange(
              line + where + ALLOWS_LARGER_LEASES + price, ConfigSection.LIMIT, line));
    }
    return Optional.empty();
  }

  /** Whether the burst limits the lease size: at most half a burst is leased. */
  private static boolean isCappedByBurst(Pool pool) {
    return pool.leaseCap() == pool.meter().capacity() / 2;
  }

  private static long tokensIn200Millis(TokenBucket bucket) {
    return (long) (bucket.rate() * 0.2e9 / bucket.period().toNanos());
  }

  /** More shards, if they are placed on several nodes; on a single node they gain nothing. */
  private static SuggestedChange shards(String when, Pool pool, boolean onSeveralNodes) {
    int current = pool.isSharded() ? pool.shardedPool().size() : 1;
    Limit whole = pool.isSharded() ? pool.shardedPool().whole() : pool.meter().limit();
    int suggested = shards(whole, current);
    if (suggested <= current || !onSeveralNodes) {
      return ownRedis(when, pool);
    }
    String line = "shards: " + suggested;
    String insteadOf = current == 1 ? "" : " instead of " + current;
    return new SuggestedChange(
        when + line + insteadOf + " would spread them over the store's nodes",
        ConfigSection.RULE,
        line);
  }

  /** The suggested number of shards, reduced so that each shard has enough capacity. */
  private static int shards(Limit whole, int current) {
    if (!LimitDivision.divides(whole.algorithm())) {
      return 0;
    }
    int suggested = current == 1 ? INITIAL_SHARDS : 2 * current;
    long most = Math.min(MAX_SHARDS, whole.capacity() / MIN_SHARD_CAPACITY);
    while (suggested > most && suggested > 1) {
      suggested /= 2;
    }
    return suggested;
  }

  private static SuggestedChange ownRedis(String when, Pool pool) {
    return new SuggestedChange(
        when + "store.hot would give the rule a Redis of its own",
        ConfigSection.STORE,
        "hot: { uri: redis://HOST:6379, rules: [" + pool.rule() + "] }");
  }

  /** All changes in one sentence. */
  public String sentence() {
    return changes.stream().map(SuggestedChange::effect).collect(Collectors.joining("; "));
  }
}
