package io.weir.redis;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes note of how one node answers. */
final class NodeWatch {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

  private final String node;
  private final RedisEvents events;
  private volatile boolean complained;

  NodeWatch(String node, RedisEvents events) {
    this.node = node;
    this.events = events;
  }

  String node() {
    return node;
  }

  void answered(long nanos) {
    try {
      events.answered(node, nanos);
    } catch (RuntimeException e) {
      complain(e);
    }
  }

  void failed(Unanswered reason) {
    try {
      events.failed(node, reason.kind().label());
    } catch (RuntimeException e) {
      complain(e);
    }
  }

  /** Once: whoever listens to calls may fail at each of them, but must not fail them. */
  private void complain(RuntimeException problem) {
    if (!complained) {
      complained = true;
      LOG.error("whoever listens to the calls of {} failed", node, problem);
    }
  }

  /** Why this node is not asked at all. */
  Unanswered away() {
    Unanswered reason = Unanswered.away(node + " is away");
    failed(reason);
    return reason;
  }
}
