package io.weir.redis.link;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.call.NodeHealth;
import java.util.Locale;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of slots of a Cluster that nobody serves: all, before the Cluster is made. That it
 * begins and that it is over is said once each, as of a node that is away.
 */
final class UnservedSlots {
  private static final Logger LOG = LoggerFactory.getLogger(UnservedSlots.class);

  /** What stands for a node where there is none. */
  static final String NO_NODE = "no node";

  private static final NoAnswerException NOBODY =
      NoAnswerException.unavailable("no node serves this");

  private final String addresses;
  private final RedisClusterClient client;
  private final NodeHealth.Context circle;
  private volatile boolean open;
  private long since;
  private boolean closed;

  /**
   * Slots of a Cluster.
   *
   * @param addresses where it is looked for, in words
   */
  UnservedSlots(String addresses, RedisClusterClient client, NodeHealth.Context circle) {
    this.addresses = addresses;
    this.client = client;
    this.circle = circle;
  }

  /** Why a call that nobody waits for is not sent. */
  static NoAnswerException noNode() {
    return NOBODY;
  }

  /** Why a call is not sent; it is counted. */
  NoAnswerException rejectUnserved() {
    tell(() -> circle.events().onFailure(NO_NODE, NOBODY.kind().label()));
    return NOBODY;
  }

  /** As {@link #rejectUnserved}, of a slot that nobody is known to serve. */
  NoAnswerException callOfSlot() {
    if (!open) {
      checkSlots();
    }
    return rejectUnserved();
  }

  /** Looks at all slots. */
  synchronized void checkSlots() {
    long slots =
        IntStream.range(0, SlotHash.SLOT_COUNT)
            .filter(slot -> client.getPartitions().getPartitionBySlot(slot) == null)
            .count();
    boolean now = slots > 0;
    if (now == open || closed) {
      return;
    }
    open = now;
    if (now) {
      since = circle.time().micros();
      LOG.warn(
          "nobody in the Redis Cluster {} serves {} of its {} slots; their keys follow on_fail",
          addresses,
          slots,
          SlotHash.SLOT_COUNT);
    } else {
      String seconds = String.format(Locale.ROOT, "%.1f", (circle.time().micros() - since) / 1e6);
      LOG.info("all slots of the Redis Cluster {} are served after {} s", addresses, seconds);
    }
    tell(() -> circle.events().onBreakerChange(NO_NODE, now));
  }

  private static void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      LOG.debug("whoever listens to calls failed", e);
    }
  }

  /** What becomes of slots from now on is no news. */
  synchronized void close() {
    closed = true;
  }
}
