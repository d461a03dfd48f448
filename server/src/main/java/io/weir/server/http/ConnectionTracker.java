package io.weir.server.http;

import io.vertx.core.http.HttpConnection;
import io.weir.server.netty.AcceptGuard;
import io.weir.server.netty.ActivityMonitor;
import io.weir.server.netty.ProtocolCheck;
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
 * <p>A connection is known here from its first whole head on; before that the {@link AcceptGuard}
 * looks after it.
 */
public final class ConnectionTracker {
  public static final int IDLE_TICKS = 60;
  static final int BODY_TICKS = 10;
  public static final Duration TICK = Duration.ofSeconds(1);

  /** One connection. */
  static final class OpenConnection {
    private final ActivityMonitor pulse;
    private int since;
    private int underWay;
    private boolean closing;

    OpenConnection(ActivityMonitor pulse, int since) {
      this.pulse = pulse;
      this.since = since;
    }
  }

  private final AcceptGuard doorstep;
  private final int idleTicks;
  private final int silentTicks;
  private final Map<HttpConnection, OpenConnection> open = new IdentityHashMap<>();
  private final Set<BodyReader> bodies = new HashSet<>();
  private int now;

  /**
   * Connections of one loop.
   *
   * @param doorstep where they were accepted
   * @param idleTicks how long one may bring nothing
   * @param silentTicks how long one may be without a byte in either direction
   */
  public ConnectionTracker(AcceptGuard doorstep, int idleTicks, int silentTicks) {
    this.doorstep = doorstep;
    this.idleTicks = idleTicks;
    this.silentTicks = silentTicks;
  }

  /** Takes a new connection on. */
  public void onOpen(HttpConnection connection) {
    ActivityMonitor pulse = ActivityMonitor.of(connection);
    open.put(connection, new OpenConnection(pulse, now));
    pulse.whenClosed(() -> open.remove(connection)); // Vert.x does not tell of those handed over
    Http2HeadValidator.check(connection);
    ProtocolCheck.check(connection);
    doorstep.onHeadRead(connection.remoteAddress());
  }

  public void onRequestStart(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.underWay++;
    }
  }

  public void onRequestEnd(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.underWay--;
      state.since = now;
    }
  }

  /** A response says that no further request of the connection is handled. */
  void onClosing(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.closing = true;
    }
  }

  /** Whether it is closed, or about to be. Vert.x hands over what it had read before it closed. */
  public boolean isClosing(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    return state == null || state.closing;
  }

  /** A body begins to arrive; returns the present tick. */
  int onBodyStart(BodyReader body) {
    bodies.add(body);
    return now;
  }

  void onBodyEnd(BodyReader body) {
    bodies.remove(body);
  }

  /** A tick of the timer: ends what has taken too long. */
  public void tick() {
    now++;
    for (BodyReader body : Set.copyOf(bodies)) {
      if (now - body.startTick() > BODY_TICKS) {
        body.onTimeout();
      }
    }
    for (Map.Entry<HttpConnection, OpenConnection> entry : Map.copyOf(open).entrySet()) {
      OpenConnection state = entry.getValue();
      if (state.pulse.tick() > silentTicks) {
        state.pulse.close();
      } else if (state.underWay == 0 && now - state.since > idleTicks) {
        entry.getKey().close();
      }
    }
  }
}
