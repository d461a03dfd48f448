package io.weir.server.envoy;

import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.HashMap;
import java.util.Map;

/**
 * The questions of one event loop that have not arrived whole: they have {@value #TICKS} seconds to
 * do so. Time is counted in ticks of a timer, so that a question costs no look at a clock.
 */
public final class Patience {
  static final int TICKS = 10;

  private final Map<GrpcServerRequest<?, ?>, Integer> unfinished = new HashMap<>();

  /** The present tick, boxed once and not per question. */
  private Integer now = 0;

  void begun(GrpcServerRequest<?, ?> question) {
    unfinished.put(question, now);
  }

  /** A question has arrived, or never will. */
  void ended(GrpcServerRequest<?, ?> question) {
    unfinished.remove(question);
  }

  /** A tick of the timer: ends what has taken too long. */
  public void tick() {
    int tick = now + 1;
    now = tick;
    unfinished.entrySet().stream()
        .filter(entry -> tick - entry.getValue() > TICKS)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(
            overdue -> {
              unfinished.remove(overdue);
              overdue
                  .response()
                  .status(GrpcStatus.DEADLINE_EXCEEDED)
                  .statusMessage("the question took too long to arrive")
                  .end();
            });
  }
}
