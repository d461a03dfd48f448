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
  private static final int FIRST_SHARDS = 8;

  private static final int MOST_SHARDS = 1024;

  /** Least capacity of a shard; smaller ones refuse too many calls that the whole limit allows. */
  private static final long LEAST_OF_SHARD = 100;

  /** Least calls per second here from which the rate of other instances is extrapolated. */
  private static final double LEAST_HERE = 50;

  private static final Accuracy COARSER = Accuracy.of("5%");

  private static final String WOULD_LEND =
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
   * @param words its effect, as part of a sentence
   * @param line the line of YAML to write
   */
  public record SuggestedChange(String words, ConfigSection place, String line) {}

  /**
   * Advice on a key, if it causes enough calls to the store and a change would help.
   *
   * @param advisor provides the number of instances; each is assumed to cause as many calls as this
   *     one
   */
  static Optional<HotKeyAdvice> on(HotKey key, HotKeyAdvisor advisor) {
    double here = key.storePerSecond();
    boolean hurts = here >= LEAST_HERE && here * advisor.instances().getAsInt() >= HotKeyLogger.HOT;
    if (!hurts || key.pool().isLocal()) {
      return Optional.empty();
    }
    String rule = key.pool().rule();
    List<SuggestedChange> undone =
        changes(key.pool(), advisor.spreads(rule))
            .filter(
                change -> change.place() != ConfigSection.STORE || advisor.isWorthOwnRedis(rule))
            .toList();
    return undone.isEmpty() ? Optional.empty() : Optional.of(new HotKeyAdvice(undone));
  }

  private static Stream<SuggestedChange> changes(Pool pool, boolean spreads) {
    Limit limit = pool.meter().limit();
    if (LeaseCap.of(limit, Accuracy.DEFAULT.millionths()) == 0) {
      return Stream.of(ownRedis("", pool));
    }
    if (pool.leaseCap() > 0) {
      return Stream.concat(larger(pool).stream(), Stream.of(shards("", pool, spreads)));
    }
    String accuracy = "accuracy: " + Accuracy.DEFAULT;
    return Stream.of(
        new SuggestedChange(
            accuracy + " would answer most of its calls from memory", ConfigSection.RULE, accuracy),
        shards("where it must be exact, ", pool, spreads));
  }

  /** A change that allows larger leases. */
  private static Optional<SuggestedChange> larger(Pool pool) {
    Limit limit = pool.meter().limit();
    if (LeaseCap.of(limit, COARSER.millionths()) >= 2 * pool.leaseCap()) {
      String line = "accuracy: " + COARSER;
      return Optional.of(new SuggestedChange(line + WOULD_LEND, ConfigSection.RULE, line));
    }
    if (limit instanceof TokenBucket bucket && !pool.isSharded() && isHeldDownByBurst(pool)) {
      long burst = Math.max(2 * bucket.capacity(), inAFifthOfASecond(bucket));
      String line = "burst: " + burst;
      String where = " for its limit of " + bucket;
      String price =
          ", but admit up to " + burst + " calls at once instead of " + bucket.capacity();
      return Optional.of(
          new SuggestedChange(line + where + WOULD_LEND + price, ConfigSection.LIMIT, line));
    }
    return Optional.empty();
  }

  /** Whether the burst limits the lease size: at most half a burst is leased. */
  private static boolean isHeldDownByBurst(Pool pool) {
    return pool.leaseCap() == pool.meter().capacity() / 2;
  }

  private static long inAFifthOfASecond(TokenBucket bucket) {
    return (long) (bucket.rate() * 0.2e9 / bucket.period().toNanos());
  }

  /** More shards, if they are placed on several nodes; on a single node they gain nothing. */
  private static SuggestedChange shards(String when, Pool pool, boolean spreads) {
    int now = pool.isSharded() ? pool.shardedPool().size() : 1;
    Limit whole = pool.isSharded() ? pool.shardedPool().whole() : pool.meter().limit();
    int more = shards(whole, now);
    if (more <= now || !spreads) {
      return ownRedis(when, pool);
    }
    String line = "shards: " + more;
    String insteadOf = now == 1 ? "" : " instead of " + now;
    return new SuggestedChange(
        when + line + insteadOf + " would spread them over the store's nodes",
        ConfigSection.RULE,
        line);
  }

  /** The suggested number of shards, reduced so that each shard has enough capacity. */
  private static int shards(Limit whole, int now) {
    if (!LimitDivision.divides(whole.algorithm())) {
      return 0;
    }
    int more = now == 1 ? FIRST_SHARDS : 2 * now;
    long most = Math.min(MOST_SHARDS, whole.capacity() / LEAST_OF_SHARD);
    while (more > most && more > 1) {
      more /= 2;
    }
    return more;
  }

  private static SuggestedChange ownRedis(String when, Pool pool) {
    return new SuggestedChange(
        when + "store.hot would give the rule a Redis of its own",
        ConfigSection.STORE,
        "hot: { uri: redis://HOST:6379, rules: [" + pool.rule() + "] }");
  }

  /** All changes in one sentence. */
  public String sentence() {
    return changes.stream().map(SuggestedChange::words).collect(Collectors.joining("; "));
  }
}
