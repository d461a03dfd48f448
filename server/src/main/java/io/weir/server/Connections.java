package io.weir.server;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of one event loop, and its patience with them.
 *
 * <p>A connection is closed when it brings no whole request for {@value #IDLE_TICKS} seconds, or
 * longer where that is usual: counted from the last answer and not from the last byte, so that
 * nobody keeps one open by sending headers a byte at a time. A body has {@value #BODY_TICKS}
 * seconds. Time is counted in ticks of a timer, so that a request costs no look at a clock.
 *
 * <p>A connection is known here from its first whole head on, as only then it is settled whether it
 * is to become HTTP/2; before that the port's idle timeout holds.
 */
final class Connections {
  static final int IDLE_TICKS = 60;
  static final int BODY_TICKS = 10;
  static final Duration TICK = Duration.ofSeconds(1);

  /** One connection. */
  static final class Open {
    private int since;
    private int underWay;
  }

  private final AtomicInteger total;
  private final int most;
  private final int idleTicks;
  private final Map<HttpConnection, Open> open = new IdentityHashMap<>();
  private final Set<BodyReader> bodies = new HashSet<>();
  private int now;

  /**
   * Connections of one loop.
   *
   * @param total how many there are in all loops together
   * @param most how many there may be in all loops together
   * @param idleTicks how long one may bring nothing
   */
  Connections(AtomicInteger total, int most, int idleTicks) {
    this.total = total;
    this.most = most;
    this.idleTicks = idleTicks;
  }

  /** Takes a new connection on, or closes it if there are too many. */
  void opened(HttpConnection connection) {
    Open state = new Open();
    state.since = now;
    open.put(connection, state);
    connection.closeHandler(
        closed -> {
          if (open.remove(connection) != null) {
            total.decrementAndGet();
          }
        });
    if (total.incrementAndGet() > most) {
      connection.close();
    }
  }

  void requestBegun(HttpConnection connection) {
    Open state = open.get(connection);
    if (state != null) {
      state.underWay++;
    }
  }

  void requestEnded(HttpConnection connection) {
    Open state = open.get(connection);
    if (state != null) {
      state.underWay--;
      state.since = now;
    }
  }

  /** A body begins to arrive; returns the present tick. */
  int bodyBegun(BodyReader body) {
    bodies.add(body);
    return now;
  }

  void bodyEnded(BodyReader body) {
    bodies.remove(body);
  }

  /** A tick of the timer: ends what has taken too long. */
  void tick() {
    now++;
    for (BodyReader body : Set.copyOf(bodies)) {
      if (now - body.begun() > BODY_TICKS) {
        body.overdue();
      }
    }
    for (Map.Entry<HttpConnection, Open> entry : Map.copyOf(open).entrySet()) {
      Open state = entry.getValue();
      if (state.underWay == 0 && now - state.since > idleTicks) {
        entry.getKey().close();
      }
    }
  }
}
