package io.weir.redis;

/** Takes note of how one node answers. */
final class NodeWatch {
  private final String node;
  private final RedisEvents events;

  NodeWatch(String node, RedisEvents events) {
    this.node = node;
    this.events = events;
  }

  String node() {
    return node;
  }

  void answered(long nanos) {
    events.answered(node, nanos);
  }

  void failed(Unanswered reason) {
    events.failed(node, reason.kind().label());
  }

  /** Why this node is not asked at all. */
  Unanswered away() {
    Unanswered reason = Unanswered.away(node + " is away");
    failed(reason);
    return reason;
  }
}
