package io.weir.server;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The connections of one event loop, and its patience with them.
 *
 * <p>A connection is closed when it brings no whole request for {@value #IDLE_TICKS} seconds, or
 * longer where that is usual: counted from the last answer and not from the last byte, so that
 * nobody keeps one open by sending headers a byte at a time. A body has {@value #BODY_TICKS}
 * seconds. Also in the middle of an exchange it is closed when nothing moves for too long, as some
 * leave without a word. Time is counted in ticks of a timer, so that a request costs no look at a
 * clock.
 *
 * <p>A connection is known here from its first whole head on; before that the {@link Doorstep}
 * looks after it.
 */
final class Connections {
  static final int IDLE_TICKS = 60;
  static final int BODY_TICKS = 10;
  static final Duration TICK = Duration.ofSeconds(1);

  /** One connection. */
  static final class Open {
    private final Pulse pulse;
    private int since;
    private int underWay;
    private boolean closing;

    Open(Pulse pulse, int since) {
      this.pulse = pulse;
      this.since = since;
    }
  }

  private final Doorstep doorstep;
  private final int idleTicks;
  private final int silentTicks;
  private final Map<HttpConnection, Open> open = new IdentityHashMap<>();
  private final Set<BodyReader> bodies = new HashSet<>();
  private int now;

  /**
   * Connections of one loop.
   *
   * @param doorstep where they were accepted
   * @param idleTicks how long one may bring nothing
   * @param silentTicks how long one may be without a byte in either direction
   */
  Connections(Doorstep doorstep, int idleTicks, int silentTicks) {
    this.doorstep = doorstep;
    this.idleTicks = idleTicks;
    this.silentTicks = silentTicks;
  }

  /** Takes a new connection on. */
  void opened(HttpConnection connection) {
    Pulse pulse = Pulse.of(connection);
    open.put(connection, new Open(pulse, now));
    pulse.whenClosed(() -> open.remove(connection)); // Vert.x does not tell of those handed over
    StreamHeads.check(connection);
    ProtocolCheck.check(connection);
    doorstep.passed(connection.remoteAddress());
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

  /** A response says that no further request of the connection is handled. */
  void closing(HttpConnection connection) {
    Open state = open.get(connection);
    if (state != null) {
      state.closing = true;
    }
  }

  /** Whether it is closed, or about to be. Vert.x hands over what it had read before it closed. */
  boolean isClosing(HttpConnection connection) {
    Open state = open.get(connection);
    return state == null || state.closing;
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
      if (state.pulse.tick() > silentTicks) {
        state.pulse.close();
      } else if (state.underWay == 0 && now - state.since > idleTicks) {
        entry.getKey().close();
      }
    }
  }
}
