package io.weir.server;

import io.weir.Limit;
import io.weir.limit.Division;
import io.weir.limit.LeaseBound;
import io.weir.rule.Accuracy;
import io.weir.store.Pool;
import io.weir.tier.HotKeys.HotKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What would help a key of which one node of the store answers very many calls: changes of which
 * one is enough, the best first. The log, the admin API and the console all say it in these words.
 */
record HotKeyAdvice(List<Change> changes) {
  /** With so many shards a key begins; where there are some, twice as many are the next step. */
  private static final int FIRST_SHARDS = 8;

  private static final int MOST_SHARDS = 1024;

  /** A shard with less refuses too much of what the whole limit would admit. */
  private static final long LEAST_OF_SHARD = 100;

  /** Which part of which document a change is made in. */
  enum Place {
    /** The rule, in the rule document. */
    RULE,
    /** {@code store}, in the configuration of the process. */
    STORE;

    String id() {
      return this == RULE ? "rule" : "store";
    }
  }

  /**
   * One change that helps.
   *
   * @param words what it would do, as part of a sentence
   * @param line the line of YAML to write
   */
  record Change(String words, Place place, String line) {}

  /** Advice on a key, if it costs the store that much and something would help. */
  static Optional<HotKeyAdvice> on(HotKey key) {
    Pool pool = key.pool();
    boolean hurts = key.storePerSecond() >= HotKeyNotes.HOT && pool.lends() == 0 && !pool.isLocal();
    return hurts ? Optional.of(on(pool)) : Optional.empty();
  }

  private static HotKeyAdvice on(Pool pool) {
    Limit limit = pool.meter().limit();
    if (LeaseBound.of(limit, Accuracy.DEFAULT.millionths()) == 0) {
      return new HotKeyAdvice(List.of(ownRedis("", pool)));
    }
    String accuracy = "accuracy: " + Accuracy.DEFAULT;
    return new HotKeyAdvice(
        List.of(
            new Change(
                accuracy + " would answer most of its calls from memory", Place.RULE, accuracy),
            shards("where it must be exact, ", pool)));
  }

  private static Change shards(String when, Pool pool) {
    int now = pool.isSplit() ? pool.split().size() : 1;
    Limit whole = pool.isSplit() ? pool.split().whole() : pool.meter().limit();
    int more = shards(whole, now);
    if (more <= now) {
      return ownRedis(when, pool);
    }
    String line = "shards: " + more;
    String insteadOf = now == 1 ? "" : " instead of " + now;
    return new Change(
        when + line + insteadOf + " would spread them over the nodes of a Cluster",
        Place.RULE,
        line);
  }

  /** The next step, or a smaller one, as each shard is to hold enough. */
  private static int shards(Limit whole, int now) {
    if (!Division.divides(whole.algorithm())) {
      return 0;
    }
    int more = now == 1 ? FIRST_SHARDS : 2 * now;
    long most = Math.min(MOST_SHARDS, whole.capacity() / LEAST_OF_SHARD);
    while (more > most && more > 1) {
      more /= 2;
    }
    return more;
  }

  private static Change ownRedis(String when, Pool pool) {
    return new Change(
        when + "store.hot would give the rule a Redis of its own",
        Place.STORE,
        "hot: { uri: redis://HOST:6379, rules: [" + pool.rule() + "] }");
  }

  /** All of it, in one sentence. */
  String sentence() {
    return changes.stream().map(Change::words).collect(Collectors.joining("; "));
  }
}
