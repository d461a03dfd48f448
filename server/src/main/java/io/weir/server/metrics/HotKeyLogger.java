package io.weir.server.metrics;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.observe.HotKeySketch;
import io.weir.observe.HotKeySketch.HotKey;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts hot keys, and logs advice on keys whose calls load one node of the store: once an hour per
 * rule, without the key. Calls answered from memory, such as a refused flood, do not load the store
 * and cause no advice.
 */
public final class HotKeyLogger {
  private static final Logger LOG = LoggerFactory.getLogger(HotKeyLogger.class);
  private static final int MAX_KEYS = 100;

  /** Calls per second from which a key counts as hot. */
  public static final double HOT = 1000;

  private final HotKeySketch keys;
  private final HotKeyAdvisor advisor;
  private final Limiter logLimit = Weir.limiter(Limit.perHour(1));
  private volatile int count;

  HotKeyLogger(HotKeySketch keys, HotKeyAdvisor advisor) {
    this.keys = keys;
    this.advisor = advisor;
  }

  /** The number of hot keys at the last check. */
  int count() {
    return count;
  }

  void logAdvice() {
    List<HotKey> top = keys.top(MAX_KEYS);
    count = (int) top.stream().filter(key -> key.perSecond() >= HOT).count();
    int instances = advisor.instances().getAsInt();
    for (HotKey key : top) {
      Optional<HotKeyAdvice> advice = advisor.on(key);
      if (advice.isPresent() && logLimit.tryAcquire(key.pool().rule())) {
        LOG.warn(
            "rule {}: one key causes about {} store calls/s on this instance{}; {}",
            key.pool().rule(),
            Math.round(key.storePerSecond()),
            fromAll(key, instances),
            advice.get().sentence());
      }
    }
  }

  private static String fromAll(HotKey key, int instances) {
    return instances == 1
        ? ""
        : String.format(
            ", and %d on all %d instances if they receive equal traffic",
            Math.round(key.storePerSecond() * instances), instances);
  }
}
