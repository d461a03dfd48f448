package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** What one event loop has to itself, and so needs no locks for. */
public record LoopContext(
    Vertx vertx,
    Context context,
    ConnectionTracker connections,
    JsonWriter json,
    InternalErrors faults) {
  /** Does something later, on this loop. */
  void schedule(long millis, Runnable action) {
    vertx.setTimer(millis, timer -> action.run());
  }
}
