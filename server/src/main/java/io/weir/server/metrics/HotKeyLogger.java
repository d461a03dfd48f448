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
 * Counts hot keys, and says in the log what would help where their calls are answered by one node
 * of the store: once an hour per rule, and never which key it is. What is answered from memory,
 * such as a flood that is refused, hurts nobody.
 */
public final class HotKeyLogger {
  private static final Logger LOG = LoggerFactory.getLogger(HotKeyLogger.class);
  private static final int MOST = 100;

  /** Calls a second from which on a key is hot. */
  public static final double HOT = 1000;

  private final HotKeySketch keys;
  private final HotKeyAdvisor advisor;
  private final Limiter said = Weir.limiter(Limit.perHour(1));
  private volatile int count;

  HotKeyLogger(HotKeySketch keys, HotKeyAdvisor advisor) {
    this.keys = keys;
    this.advisor = advisor;
  }

  /** How many there were at the last look. */
  int count() {
    return count;
  }

  void logAdvice() {
    List<HotKey> top = keys.top(MOST);
    count = (int) top.stream().filter(key -> key.perSecond() >= HOT).count();
    int sharing = advisor.instances().getAsInt();
    for (HotKey key : top) {
      Optional<HotKeyAdvice> advice = advisor.on(key);
      if (advice.isPresent() && said.tryAcquire(key.pool().rule())) {
        LOG.warn(
            "rule {}: for one key the store answers about {} calls a second from here{}; {}",
            key.pool().rule(),
            Math.round(key.storePerSecond()),
            fromAll(key, sharing),
            advice.get().sentence());
      }
    }
  }

  private static String fromAll(HotKey key, int sharing) {
    return sharing == 1
        ? ""
        : String.format(
            ", and %d from all %d instances if they are asked alike",
            Math.round(key.storePerSecond() * sharing), sharing);
  }
}
