package io.weir.server;

import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** What one event loop has to itself, and so needs no locks for. */
record Loop(Vertx vertx, Context context, Connections connections, Json json, Faults faults) {
  /** Does something later, on this loop. */
  void after(long millis, Runnable action) {
    vertx.setTimer(millis, timer -> action.run());
  }
}
