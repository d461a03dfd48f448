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
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts hot keys, and says in the log what would help where their calls are answered by one node
 * of the store: once an hour per rule, and never which key it is. What is answered from memory,
 * such as a flood that is refused, hurts nobody.
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
      Optional<String> advice = advice(key);
      if (advice.isPresent() && said.tryAcquire(key.pool().rule())) {
        LOG.warn(
            "rule {}: for one key the store answers about {} calls a second from here; {}",
            key.pool().rule(),
            Math.round(key.storePerSecond()),
            advice.get());
      }
    }
  }

  /** What would help a key, if it costs the store that much. */
  static Optional<String> advice(HotKey key) {
    Pool pool = key.pool();
    boolean hurts = key.storePerSecond() >= HOT && pool.lends() == 0 && !pool.isLocal();
    return hurts ? Optional.of(advice(pool)) : Optional.empty();
  }

  private static String advice(Pool pool) {
    if (LeaseBound.of(pool.meter().limit(), Accuracy.DEFAULT.millionths()) == 0) {
      return "store.hot would give the rule a Redis of its own";
    }
    String shards = pool.isSplit() ? "more shards than " + pool.split().size() : "shards";
    return "accuracy: 1% would answer most of its calls from memory; where it must be exact, "
        + shards
        + " would spread them over the nodes of a Cluster";
  }
}
