package io.weir.server.listen;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.TlsSettings;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.http.InternalErrors;
import io.weir.server.http.LoopContext;
import io.weir.server.netty.AcceptGuard;
import io.weir.server.netty.GuardedTransport;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ports of a process, by their names in the configuration, and their event loops. Opens the
 * ports, reloads their certificates, and closes them when requests in flight are done.
 */
public final class ListenerGroup {
  public static final String HTTP = "http";
  public static final String GATEWAY = "gateway";
  public static final String GRPC = "grpc";
  public static final String ADMIN = "admin";

  /** The number of event loops, which is also the number of listeners per port (admin: one). */
  public static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private static final Logger LOG = LoggerFactory.getLogger(ListenerGroup.class);
  private static final int MAX_CONNECTIONS = 20_000;
  private static final int MAX_ADMIN_CONNECTIONS = 100;

  /**
   * Cap per address. Probes and scrapers send their request immediately, so even many behind one
   * proxy stay below it.
   */
  private static final int MAX_ADMIN_PENDING = 32;

  private static final int ADMIN_HEAD_TIMEOUT_TICKS = 5;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final GuardedTransport transport = new GuardedTransport();
  private final Vertx vertx =
      Vertx.builder()
          .withTransport(transport)
          .with(
              new VertxOptions()
                  .setEventLoopPoolSize(LOOPS)
                  .setFileSystemOptions(
                      new FileSystemOptions()
                          .setClassPathResolvingEnabled(false)
                          .setFileCachingEnabled(false)))
          .build();
  private final FrontEndSettings settings;
  private final InternalErrors errors;
  private final Duration tick;
  private final List<Listener> secured = new CopyOnWriteArrayList<>();
  private final Map<String, String> deployments = new ConcurrentHashMap<>();

  /** A group without ports; {@code errors} reports errors outside of any request. */
  public ListenerGroup(FrontEndSettings settings, InternalErrors errors, Duration tick) {
    this.settings = settings;
    this.errors = errors;
    this.tick = tick;
    vertx.exceptionHandler(errors::report);
  }

  /** The Vert.x instance whose event loops run all listeners. */
  public Vertx vertx() {
    return vertx;
  }

  /** Runs a task periodically on an event loop. */
  public void every(Duration period, Runnable task) {
    vertx.setPeriodic(period.toMillis(), now -> task.run());
  }

  // ---- opening

  /** Opens a port, and returns its address with the actual port. */
  public ListenAddress open(
      String name, ListenAddress address, Function<LoopContext, Handler<HttpServerRequest>> handler)
      throws ConfigException {
    return open(name, address, protocolOf(name).idleTicks(), handler);
  }

  /**
   * As {@link #open(String, ListenAddress, Function)}, with the number of ticks that a connection
   * may be without a byte.
   */
  public ListenAddress open(
      String name,
      ListenAddress address,
      int silentTicks,
      Function<LoopContext, Handler<HttpServerRequest>> handler)
      throws ConfigException {
    boolean isAdmin = name.equals(ADMIN);
    int loops = isAdmin ? 1 : LOOPS;
    Optional<TlsSettings.ListenerTls> tls =
        settings.tls().flatMap(files -> files.of(name, authority(name)));
    AcceptGuard acceptGuard =
        new AcceptGuard(
            isAdmin
                ? new AcceptGuard.ConnectionCaps(
                    MAX_ADMIN_CONNECTIONS,
                    MAX_ADMIN_PENDING,
                    ADMIN_HEAD_TIMEOUT_TICKS,
                    tls.isPresent())
                : new AcceptGuard.ConnectionCaps(
                    MAX_CONNECTIONS,
                    MAX_CONNECTIONS,
                    AcceptGuard.HEAD_TIMEOUT_TICKS,
                    tls.isPresent()));
    transport.put(name, acceptGuard);
    every(tick, acceptGuard::tick);
    Listener.Port port =
        new Listener.Port(
            name,
            protocolOf(name),
            address,
            loops,
            acceptGuard,
            errors,
            tick,
            silentTicks,
            name.equals(GATEWAY) ? settings.gateway().drain() : DRAIN,
            tls,
            handler);
    List<Listener> listeners = new CopyOnWriteArrayList<>();
    Future<String> deployed =
        vertx.deployVerticle(
            () -> {
              Listener listener = new Listener(port);
              listeners.add(listener);
              return listener;
            },
            new DeploymentOptions().setInstances(loops));
    try {
      deployments.put(name, deployed.toCompletionStage().toCompletableFuture().join());
    } catch (CompletionException e) {
      throw new ConfigException(List.of(cannotListen(name, address, e.getCause())));
    }
    if (tls.isPresent()) {
      secured.add(listeners.get(0));
    }
    return address.port(listeners.get(0).actualPort());
  }

  private static Listener.Protocol protocolOf(String name) {
    return name.equals(GRPC) ? Listener.Protocol.GRPC : Listener.Protocol.HTTP;
  }

  /** The CA of client certificates, on ports that request them. */
  private Optional<Path> authority(String name) {
    boolean authenticatesCallers = name.equals(HTTP) || name.equals(GRPC);
    return authenticatesCallers ? settings.callers().authority() : Optional.empty();
  }

  private static String cannotListen(String name, ListenAddress address, Throwable cause) {
    Throwable reason = cause.getMessage() == null ? bindError(address, cause) : cause;
    boolean inUse =
        reason instanceof BindException && String.valueOf(reason.getMessage()).contains("in use");
    return "cannot listen on "
        + address
        + " ("
        + name
        + "): "
        + (inUse ? "the port is in use" : Objects.requireNonNullElse(reason.getMessage(), reason));
  }

  /**
   * The reason why an address cannot be bound. Of two loops that share a port, one may only report
   * that the other failed, so this tries again.
   */
  private static Throwable bindError(ListenAddress address, Throwable reported) {
    try (ServerSocket attempt = new ServerSocket()) {
      attempt.bind(new InetSocketAddress(address.host(), address.port()));
      return reported;
    } catch (IOException e) {
      return e;
    }
  }

  /** Starts to watch for renewed certificates. */
  public void followCertificates() {
    Duration every =
        CertificateReloader.EVERY
            .multipliedBy(tick.toMillis())
            .dividedBy(ConnectionTracker.TICK.toMillis());
    Optional<Path> authority = settings.callers().authority();
    settings
        .tls()
        .ifPresent(files -> new CertificateReloader(vertx, files, authority, secured).start(every));
  }

  // ---- closing

  /**
   * Finishes the requests in flight, accepts no new ones, and stops. The admin port closes last:
   * until then it reports that the process is not ready.
   */
  public void close() {
    try {
      undeploy(name -> !name.equals(ADMIN))
          .transform(drained -> undeploy(name -> name.equals(ADMIN)))
          .transform(stopped -> vertx.close())
          .toCompletionStage()
          .toCompletableFuture()
          .get(
              DRAIN.plus(DRAIN).plus(settings.gateway().drain()).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("not all listeners could be closed: {}", e.toString());
    }
  }

  private Future<?> undeploy(Predicate<String> names) {
    List<Future<?>> stopping = new ArrayList<>();
    deployments.forEach(
        (name, deployment) -> {
          if (names.test(name)) {
            stopping.add(vertx.undeploy(deployment));
          }
        });
    return Future.join(stopping);
  }
}
