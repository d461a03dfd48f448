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
 * Tracks the connections of one event loop and closes those that exceed their timeouts.
 *
 * <p>A connection is closed when it sends no complete request for {@value #IDLE_TICKS} s, or longer
 * on ports with long-lived connections. That time counts from the last response and not from the
 * last byte, so that a client cannot keep a connection open by sending headers a byte at a time. A
 * body must arrive within {@value #BODY_TICKS} s. During an exchange a connection is closed when no
 * byte moves in either direction for too long, because some clients disappear without closing. Time
 * is counted in ticks of a timer, so that a request does not read the clock.
 *
 * <p>A connection is tracked here from its first complete head on; before that, by {@link
 * AcceptGuard}.
 */
public final class ConnectionTracker {
  public static final int IDLE_TICKS = 60;
  static final int BODY_TICKS = 10;
  public static final Duration TICK = Duration.ofSeconds(1);

  /** One connection. */
  static final class OpenConnection {
    private final ActivityMonitor activity;
    private int since;
    private int inFlight;
    private boolean closing;

    OpenConnection(ActivityMonitor activity, int since) {
      this.activity = activity;
      this.since = since;
    }
  }

  private final AcceptGuard acceptGuard;
  private final int idleTicks;
  private final int silentTicks;
  private final Map<HttpConnection, OpenConnection> open = new IdentityHashMap<>();
  private final Set<BodyReader> bodies = new HashSet<>();
  private int now;

  /**
   * Connections of one loop.
   *
   * @param acceptGuard the guard that accepted them
   * @param idleTicks how long one may send no complete request
   * @param silentTicks how long no byte may move in either direction
   */
  public ConnectionTracker(AcceptGuard acceptGuard, int idleTicks, int silentTicks) {
    this.acceptGuard = acceptGuard;
    this.idleTicks = idleTicks;
    this.silentTicks = silentTicks;
  }

  /** Starts to track a new connection. */
  public void onOpen(HttpConnection connection) {
    ActivityMonitor activity = ActivityMonitor.of(connection);
    open.put(connection, new OpenConnection(activity, now));
    activity.whenClosed(() -> open.remove(connection)); // Vert.x does not report tunnelled ones
    Http2HeadValidator.check(connection);
    ProtocolCheck.check(connection);
    acceptGuard.onHeadRead(connection.remoteAddress());
  }

  public void onRequestStart(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.inFlight++;
    }
  }

  public void onRequestEnd(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.inFlight--;
      state.since = now;
    }
  }

  /** A response announced that the connection is closed after it. */
  void onClosing(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    if (state != null) {
      state.closing = true;
    }
  }

  /**
   * Whether it is closed or about to be. Vert.x still delivers requests that it read before
   * closing.
   */
  public boolean isClosing(HttpConnection connection) {
    OpenConnection state = open.get(connection);
    return state == null || state.closing;
  }

  /** A body starts to arrive; returns the current tick. */
  int onBodyStart(BodyReader body) {
    bodies.add(body);
    return now;
  }

  void onBodyEnd(BodyReader body) {
    bodies.remove(body);
  }

  /** A tick of the timer: ends bodies and connections whose timeout has passed. */
  public void tick() {
    now++;
    for (BodyReader body : Set.copyOf(bodies)) {
      if (now - body.startTick() > BODY_TICKS) {
        body.onTimeout();
      }
    }
    for (Map.Entry<HttpConnection, OpenConnection> entry : Map.copyOf(open).entrySet()) {
      OpenConnection state = entry.getValue();
      if (state.activity.tick() > silentTicks) {
        state.activity.close();
      } else if (state.inFlight == 0 && now - state.since > idleTicks) {
        entry.getKey().close();
      }
    }
  }
}
