package io.weir.redis;

/**
 * Listener for the replies and failures of nodes; used for metrics. Called for every call, so
 * implementations must be fast. Not called for warm-up calls.
 */
public interface RedisEvents {
  /** Ignores all events. */
  RedisEvents NONE = new RedisEvents() {};

  /**
   * A node answered a call.
   *
   * @param nanos time since the call started
   */
  default void onAnswer(String node, long nanos) {}

  /**
   * A call was not answered.
   *
   * @param kind {@code timeout}, {@code disconnected}, {@code queue_full}, {@code readonly}, {@code
   *     oom}, {@code auth}, {@code loading}, {@code busy}, {@code error}, or {@code breaker} if the
   *     circuit breaker of the node rejected it
   */
  default void onFailure(String node, String kind) {}

  /**
   * The circuit breaker of a node opened or closed. Also called once for every node when it becomes
   * known. A Cluster of which no node was ever reached is reported as one node, named by all the
   * addresses it was given. Slots without a node are reported as {@code no node}.
   */
  default void onBreakerChange(String node, boolean open) {}

  /** A script found values that Weir did not write. They counted as absent. */
  default void onInvalidValue(String node, long values) {}

  /** A node has left its Cluster. */
  default void onNodeRemoved(String node) {}
}
