package io.weir.redis;

import io.weir.time.SystemTime;
import java.util.concurrent.CompletableFuture;

/** Short words for the watch of a node that is not there. */
final class Watches {
  private Watches() {}

  /** Tells nobody, and never hears of the node again once it is gone. */
  static NodeWatch quiet(String node) {
    return new NodeWatch(
        node,
        new NodeWatch.Circle(
            RedisEvents.NONE, SystemTime.INSTANCE, 10_000_000, (millis, task) -> {}),
        CompletableFuture::new);
  }
}
