package io.weir.redis.call;

import io.weir.redis.RedisEvents;
import io.weir.time.SystemTime;
import java.util.concurrent.CompletableFuture;

/** Short words for the watch of a node that is not there. */
public final class NodeHealthFixture {
  private NodeHealthFixture() {}

  /** Tells nobody, and never hears of the node again once it is gone. */
  public static NodeHealth quiet(String node) {
    return new NodeHealth(
        node,
        new NodeHealth.Context(
            RedisEvents.NONE, SystemTime.INSTANCE, 10_000_000, (millis, task) -> {}),
        CompletableFuture::new);
  }
}
