package io.weir.redis;

/**
 * Hears how nodes answer; for metrics. Called on the way of every call, so it must be quick; but
 * not of calls that only make the way warm.
 */
public interface RedisEvents {
  /** Hears nothing. */
  RedisEvents NONE = new RedisEvents() {};

  /** A node answered a call, so long after it was asked for. */
  default void onAnswer(String node, long nanos) {}

  /**
   * A call was not answered.
   *
   * @param kind {@code timeout}, {@code disconnected}, {@code queue_full}, {@code readonly}, {@code
   *     oom}, {@code auth}, {@code loading}, {@code busy}, {@code error}, or {@code breaker} for
   *     one that was kept from a node that does not answer
   */
  default void onFailure(String node, String kind) {}

  /**
   * Calls are kept from a node from now on, or no longer; told of every node when it is first heard
   * of. A Cluster of which no node was ever reached is told of as one node, by all the addresses it
   * was given; slots that nobody serves as {@code no node}.
   */
  default void onBreakerChange(String node, boolean open) {}

  /** So many values on a node were none that Weir writes. They counted as absent. */
  default void onInvalidValue(String node, long values) {}

  /** A node has left its Cluster. */
  default void onNodeRemoved(String node) {}
}
