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
 * One event loop's part of a port: Vert.x hands it its share of the connections. What a caller may
 * use of us in size, time and number is set here.
 */
public final class Listener extends VerticleBase {
  private static final int RESET_WINDOW_SECONDS = 30;
  private static final int BACKLOG = 1024;
  private static final List<String> NAMES =
      List.of(ListenerGroup.HTTP, ListenerGroup.GRPC, ListenerGroup.ADMIN, ListenerGroup.GATEWAY);

  /** What is spoken on a port, and what a connection may use of us. */
  public enum Protocol {
    HTTP(256, 200, ConnectionTracker.IDLE_TICKS),
    /**
     * Envoy keeps few connections for long, with many calls on each, and gives calls up by the
     * hundred when answers are late.
     */
    GRPC(1000, 6000, 5 * ConnectionTracker.IDLE_TICKS);

    private final int mostStreams;
    private final int mostResets;
    private final int idleTicks;

    Protocol(int mostStreams, int mostResets, int idleTicks) {
      this.mostStreams = mostStreams;
      this.mostResets = mostResets;
      this.idleTicks = idleTicks;
    }

    public int idleTicks() {
      return idleTicks;
    }
  }

  /**
   * Where to listen, and who answers: what all loops of a port have in common.
   *
   * @param name by which the configuration knows it
   * @param loops how many loops share it
   * @param doorstep where connections are accepted
   * @param tick the unit of time in which patience is counted
   * @param silentTicks how long a connection may be without a byte in either direction
   * @param drain how long requests under way are waited for at the end
   */
  record Port(
      String name,
      Protocol spoken,
      ListenAddress address,
      int loops,
      AcceptGuard doorstep,
      InternalErrors faults,
      Duration tick,
      int silentTicks,
      Duration drain,
      Optional<TlsSettings.ListenerTls> tls,
      Function<LoopContext, Handler<HttpServerRequest>> handler) {

    /**
     * To Vert.x a negative number is a free port that all who ask for that number share, and 0 one
     * for each.
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
        new ConnectionTracker(port.doorstep(), port.spoken().idleTicks, port.silentTicks());
    LoopContext loop =
        new LoopContext(vertx, context, connections, new JsonWriter(), port.faults());
    vertx.setPeriodic(port.tick().toMillis(), tick -> connections.tick());
    server =
        vertx
            .createHttpServer(options())
            .connectionHandler(connections::onOpen)
            .invalidRequestHandler(new MalformedRequestHandler(loop))
            .exceptionHandler(broken -> {}) // connections that break are no news
            .requestHandler(new HeadCheck(loop, port.handler().apply(loop)));
    return server.listen(port.number(), port.address().host());
  }

  private HttpServerOptions options() {
    HttpServerOptions options = plain(port.spoken());
    options.setHost(port.name()); // see Doorsteps
    return port.tls().isPresent() ? port.tls().get().addTo(options) : options;
  }

  private static HttpServerOptions plain(Protocol spoken) {
    return new HttpServerOptions()
        .setAcceptBacklog(BACKLOG)
        .setMaxInitialLineLength(MalformedRequestHandler.LONGEST_LINE)
        .setMaxHeaderSize(MalformedRequestHandler.MOST_HEADER_BYTES)
        .setHttp2ClearTextEnabled(true)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(spoken.mostStreams)
                .setMaxHeaderListSize(MalformedRequestHandler.MOST_HEADER_BYTES))
        .setHttp2RstFloodMaxRstFramePerWindow(spoken.mostResets)
        .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
  }

  /** Reads the certificates again for the connections to come. */
  Future<Boolean> reload() {
    return port.tls().isPresent()
        ? server.updateSSLOptions(port.tls().get().again(), true)
        : Future.succeededFuture(false);
  }

  /** The port that is really listened on. */
  int actualPort() {
    return server.actualPort();
  }

  /** Takes no more connections, finishes what is under way, and closes. */
  @Override
  public Future<?> stop() {
    return server.shutdown(port.drain().toMillis(), TimeUnit.MILLISECONDS);
  }
}
