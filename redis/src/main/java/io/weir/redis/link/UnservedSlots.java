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
 * Tracks slots of a Cluster that no node serves; before the Cluster is created, that is all of
 * them. The beginning and the end are logged once each, like the outage of a node.
 */
final class UnservedSlots {
  private static final Logger LOG = LoggerFactory.getLogger(UnservedSlots.class);

  /** The node name in events for calls without a node. */
  static final String NO_NODE = "no node";

  private static final NoAnswerException REJECTION =
      NoAnswerException.unavailable("no node serves this slot");

  private final String addresses;
  private final RedisClusterClient client;
  private final NodeHealth.Context context;
  private volatile boolean open;
  private long since;
  private boolean closed;

  /**
   * Slots of a Cluster.
   *
   * @param addresses the configured addresses, as text
   */
  UnservedSlots(String addresses, RedisClusterClient client, NodeHealth.Context context) {
    this.addresses = addresses;
    this.client = client;
    this.context = context;
  }

  /** Rejects a warm-up call; it is not counted. */
  static NoAnswerException noNode() {
    return REJECTION;
  }

  /** Rejects a call; it is counted. */
  NoAnswerException rejectUnserved() {
    notifyListener(() -> context.events().onFailure(NO_NODE, REJECTION.kind().label()));
    return REJECTION;
  }

  /** As {@link #rejectUnserved}, for a slot without a known node. */
  NoAnswerException rejectSlot() {
    if (!open) {
      checkSlots();
    }
    return rejectUnserved();
  }

  /** Checks all slots. */
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
      since = context.time().micros();
      LOG.warn(
          "no node of the Redis Cluster {} serves {} of its {} slots; their keys follow on_fail",
          addresses,
          slots,
          SlotHash.SLOT_COUNT);
    } else {
      String seconds = String.format(Locale.ROOT, "%.1f", (context.time().micros() - since) / 1e6);
      LOG.info("all slots of the Redis Cluster {} are served after {} s", addresses, seconds);
    }
    notifyListener(() -> context.events().onBreakerChange(NO_NODE, now));
  }

  private static void notifyListener(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      LOG.debug("the listener for Redis calls failed", e);
    }
  }

  /** Ends logging and events. */
  synchronized void close() {
    closed = true;
  }
}
