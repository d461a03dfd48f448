package io.weir.redis;

/** Hears how nodes answer; for metrics. Called on the way of every call, so it must be quick. */
public interface RedisEvents {
  /** Hears nothing. */
  RedisEvents NONE =
      new RedisEvents() {
        @Override
        public void answered(String node, long nanos) {}

        @Override
        public void failed(String node, String kind) {}
      };

  /** A node answered a call, so long after it was asked for. */
  void answered(String node, long nanos);

  /**
   * A call was not answered.
   *
   * @param kind {@code timeout}, {@code disconnected}, {@code queue_full}, {@code readonly}, {@code
   *     oom}, {@code auth}, {@code loading} or {@code error}
   */
  void failed(String node, String kind);
}
