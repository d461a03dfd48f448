package io.weir.server.listen;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.TlsSettings;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.http.InternalErrors;
import io.weir.server.http.JsonWriter;
import io.weir.server.http.LoopContext;
import io.weir.server.netty.AcceptGuard;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One event loop's part of a port; Vert.x distributes connections over the loops. Sets the limits
 * on size, time and number for clients.
 */
public final class Listener extends VerticleBase {
  private static final int RESET_WINDOW_SECONDS = 30;
  private static final int BACKLOG = 1024;
  private static final List<String> NAMES =
      List.of(ListenerGroup.HTTP, ListenerGroup.GRPC, ListenerGroup.ADMIN, ListenerGroup.GATEWAY);

  /** The protocol of a port, with the limits of a connection. */
  public enum Protocol {
    HTTP(256, 200, ConnectionTracker.IDLE_TICKS),
    /**
     * Envoy keeps few long-lived connections with many calls on each, and cancels hundreds of calls
     * at once when responses are late.
     */
    GRPC(1000, 6000, 5 * ConnectionTracker.IDLE_TICKS);

    private final int maxStreams;
    private final int maxResets;
    private final int idleTicks;

    Protocol(int maxStreams, int maxResets, int idleTicks) {
      this.maxStreams = maxStreams;
      this.maxResets = maxResets;
      this.idleTicks = idleTicks;
    }

    public int idleTicks() {
      return idleTicks;
    }
  }

  /**
   * The address, handler and limits of a port, shared by its loops.
   *
   * @param name the port's name in the configuration
   * @param loops how many loops share it
   * @param acceptGuard the guard that accepts connections
   * @param tick the unit of timeouts
   * @param silentTicks how long no byte may move on a connection in either direction
   * @param drain how long a stop waits for requests in flight
   */
  record Port(
      String name,
      Protocol protocol,
      ListenAddress address,
      int loops,
      AcceptGuard acceptGuard,
      InternalErrors errors,
      Duration tick,
      int silentTicks,
      Duration drain,
      Optional<TlsSettings.ListenerTls> tls,
      Function<LoopContext, Handler<HttpServerRequest>> handler) {

    /**
     * The number for Vert.x. Listeners with the same negative number share one free port; with 0
     * each would get its own.
     */
    private int number() {
      return address.port() == 0 && loops > 1 ? -1 - NAMES.indexOf(name) : address.port();
    }
  }

  private final Port port;
  private HttpServer server;

  Listener(Port port) {
    this.port = port;
  }

  @Override
  public Future<?> start() {
    ConnectionTracker connections =
        new ConnectionTracker(port.acceptGuard(), port.protocol().idleTicks, port.silentTicks());
    LoopContext loop =
        new LoopContext(vertx, context, connections, new JsonWriter(), port.errors());
    vertx.setPeriodic(port.tick().toMillis(), tick -> connections.tick());
    server =
        vertx
            .createHttpServer(options())
            .connectionHandler(connections::onOpen)
            .invalidRequestHandler(new MalformedRequestHandler(loop))
            .exceptionHandler(broken -> {}) // broken connections are normal
            .requestHandler(new HeadCheck(loop, port.handler().apply(loop)));
    return server.listen(port.number(), port.address().host());
  }

  private HttpServerOptions options() {
    HttpServerOptions options = plain(port.protocol());
    options.setHost(port.name()); // see GuardedTransport
    return port.tls().isPresent() ? port.tls().get().addTo(options) : options;
  }

  private static HttpServerOptions plain(Protocol protocol) {
    return new HttpServerOptions()
        .setAcceptBacklog(BACKLOG)
        .setMaxInitialLineLength(MalformedRequestHandler.MAX_LINE_BYTES)
        .setMaxHeaderSize(MalformedRequestHandler.MAX_HEADER_BYTES)
        .setHttp2ClearTextEnabled(true)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(protocol.maxStreams)
                .setMaxHeaderListSize(MalformedRequestHandler.MAX_HEADER_BYTES))
        .setHttp2RstFloodMaxRstFramePerWindow(protocol.maxResets)
        .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
  }

  /** Reloads the certificates for new connections. */
  Future<Boolean> reload() {
    return port.tls().isPresent()
        ? server.updateSSLOptions(port.tls().get().reloaded(), true)
        : Future.succeededFuture(false);
  }

  /** The actual port. */
  int actualPort() {
    return server.actualPort();
  }

  /** Stops accepting connections, finishes requests in flight, and closes. */
  @Override
  public Future<?> stop() {
    return server.shutdown(port.drain().toMillis(), TimeUnit.MILLISECONDS);
  }
}
