package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The state of one event loop. It is confined to that loop and needs no locks. */
public record LoopContext(
    Vertx vertx,
    Context context,
    ConnectionTracker connections,
    JsonWriter json,
    InternalErrors errors) {
  /** Runs an action later, on this loop. */
  void schedule(long millis, Runnable action) {
    vertx.setTimer(millis, timer -> action.run());
  }
}
