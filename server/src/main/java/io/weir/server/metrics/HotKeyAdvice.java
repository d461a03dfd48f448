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
 * What would help a key of which one node of the store answers very many calls: changes of which
 * one is enough, the best first. The log, the admin API and the console all say it in these words.
 */
public record HotKeyAdvice(List<SuggestedChange> changes) {
  /** With so many shards a key begins; where there are some, twice as many are the next step. */
  private static final int FIRST_SHARDS = 8;

  private static final int MOST_SHARDS = 1024;

  /** A shard with less refuses too much of what the whole limit would admit. */
  private static final long LEAST_OF_SHARD = 100;

  /** Fewer calls from here say little of those from other instances. */
  private static final double LEAST_HERE = 50;

  private static final Accuracy COARSER = Accuracy.of("5%");

  private static final String WOULD_LEND =
      " would lend more at once, and so answer more of its calls from memory";

  /** Which part of which document a change is made in. */
  public enum ConfigSection {
    /** The rule, in the rule document. */
    RULE,
    /** The limit that the words name, wherever the rule has it from. */
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
   * One change that helps.
   *
   * @param words what it would do, as part of a sentence
   * @param line the line of YAML to write
   */
  public record SuggestedChange(String words, ConfigSection place, String line) {}

  /**
   * Advice on a key, if it costs the store that much and something would help.
   *
   * @param advisor knows how many instances share the store: what one of them costs it is taken for
   *     what each does
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

  /** What would let leases be larger that are too small for their demand. */
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

  /** Half a burst is the most that is lent. */
  private static boolean isHeldDownByBurst(Pool pool) {
    return pool.leaseCap() == pool.meter().capacity() / 2;
  }

  private static long inAFifthOfASecond(TokenBucket bucket) {
    return (long) (bucket.rate() * 0.2e9 / bucket.period().toNanos());
  }

  /** More shards where they come to lie on other nodes; on a single one they gain nothing. */
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

  /** The next step, or a smaller one, as each shard is to hold enough. */
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

  /** All of it, in one sentence. */
  public String sentence() {
    return changes.stream().map(SuggestedChange::words).collect(Collectors.joining("; "));
  }
}
