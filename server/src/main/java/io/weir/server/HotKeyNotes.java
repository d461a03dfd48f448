package io.weir.server;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.limit.LeaseBound;
import io.weir.rule.Accuracy;
import io.weir.store.Pool;
import io.weir.tier.HotKeys;
import io.weir.tier.HotKeys.HotKey;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts hot keys, and says in the log what would help where each of their calls goes to one node
 * of the store: once an hour per rule, and never which key it is.
 */
final class HotKeyNotes {
  private static final Logger LOG = LoggerFactory.getLogger(HotKeyNotes.class);
  private static final int MOST = 100;

  /** Calls a second from which on a key is hot. */
  static final double HOT = 1000;

  private final HotKeys keys;
  private final Limiter said = Weir.limiter(Limit.perHour(1));
  private volatile int count;

  HotKeyNotes(HotKeys keys) {
    this.keys = keys;
  }

  /** How many there were at the last look. */
  int count() {
    return count;
  }

  void look() {
    List<HotKey> hot = keys.top(MOST).stream().filter(key -> key.perSecond() >= HOT).toList();
    count = hot.size();
    for (HotKey key : hot) {
      Pool pool = key.pool();
      if (isAlwaysAsked(pool) && said.tryAcquire(pool.rule())) {
        LOG.warn(
            "rule {}: one key is asked for about {} times a second here, each time in the store;"
                + " {}",
            pool.rule(),
            Math.round(key.perSecond()),
            advice(pool));
      }
    }
  }

  /** Whether every call for a key of this pool goes to the store. */
  static boolean isAlwaysAsked(Pool pool) {
    return pool.lends() == 0 && !pool.isLocal();
  }

  /** What would help a hot key of this pool. */
  static String advice(Pool pool) {
    if (LeaseBound.of(pool.meter().limit(), Accuracy.DEFAULT.millionths()) == 0) {
      return "store.hot would give the rule a Redis of its own";
    }
    String shards = pool.isSplit() ? "more shards than " + pool.split().size() : "shards";
    return "accuracy: 1% would answer most of its calls from memory; where it must be exact, "
        + shards
        + " would spread them over the nodes of a Cluster";
  }
}
