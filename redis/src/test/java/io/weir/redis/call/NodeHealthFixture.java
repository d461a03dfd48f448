package io.weir.redis.call;

import io.weir.redis.RedisEvents;
import io.weir.time.SystemTime;
import java.util.concurrent.CompletableFuture;

/** Health of nodes that do not exist. */
public final class NodeHealthFixture {
  private NodeHealthFixture() {}

  /** Has no listener; probes never complete. */
  public static NodeHealth quiet(String node) {
    return new NodeHealth(
        node,
        new NodeHealth.Context(
            RedisEvents.NONE, SystemTime.INSTANCE, 10_000_000, (millis, task) -> {}),
        CompletableFuture::new);
  }
}
