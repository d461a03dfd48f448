package io.weir.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerRequest;
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
 * The ports of a process, by their names in the configuration, and the event loops behind them:
 * opens them, follows their certificates, and closes them when what is under way is done.
 */
final class Ports {
  static final String HTTP = "http";
  static final String GATEWAY = "gateway";
  static final String GRPC = "grpc";
  static final String ADMIN = "admin";

  /** Event loops, and so listeners of each port but the admin one. */
  static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private static final Logger LOG = LoggerFactory.getLogger(Ports.class);
  private static final int MOST_CONNECTIONS = 20_000;
  private static final int MOST_ADMIN_CONNECTIONS = 100;

  /** Probes and scrapers send their request at once, also many of them through one proxy. */
  private static final int MOST_ADMIN_WAITING = 32;

  private static final int ADMIN_PATIENCE_TICKS = 5;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Doorsteps doorsteps = new Doorsteps();
  private final Vertx vertx =
      Vertx.builder()
          .withTransport(doorsteps)
          .with(
              new VertxOptions()
                  .setEventLoopPoolSize(LOOPS)
                  .setFileSystemOptions(
                      new FileSystemOptions()
                          .setClassPathResolvingEnabled(false)
                          .setFileCachingEnabled(false)))
          .build();
  private final FrontEnd settings;
  private final Faults faults;
  private final Duration tick;
  private final List<Listener> secured = new CopyOnWriteArrayList<>();
  private final Map<String, String> deployments = new ConcurrentHashMap<>();

  /** No ports yet; {@code faults} hears of errors that nobody waits for. */
  Ports(FrontEnd settings, Faults faults, Duration tick) {
    this.settings = settings;
    this.faults = faults;
    this.tick = tick;
    vertx.exceptionHandler(faults::report);
  }

  /** Whose event loops everything runs on. */
  Vertx vertx() {
    return vertx;
  }

  /** Does something again and again, by an event loop. */
  void every(Duration period, Runnable task) {
    vertx.setPeriodic(period.toMillis(), now -> task.run());
  }

  // ---- opening

  /** Listens on a port, and returns where that really is. */
  Address open(String name, Address address, Function<Loop, Handler<HttpServerRequest>> handler)
      throws ConfigException {
    return open(name, address, spoken(name).idleTicks(), handler);
  }

  /** The same, where a connection may be without a byte for so long. */
  Address open(
      String name,
      Address address,
      int silentTicks,
      Function<Loop, Handler<HttpServerRequest>> handler)
      throws ConfigException {
    boolean isAdmin = name.equals(ADMIN);
    int loops = isAdmin ? 1 : LOOPS;
    Optional<TlsSettings.OfPort> tls =
        settings.tls().flatMap(files -> files.of(name, authority(name)));
    Doorstep doorstep =
        new Doorstep(
            isAdmin
                ? new Doorstep.Terms(
                    MOST_ADMIN_CONNECTIONS,
                    MOST_ADMIN_WAITING,
                    ADMIN_PATIENCE_TICKS,
                    tls.isPresent())
                : new Doorstep.Terms(
                    MOST_CONNECTIONS, MOST_CONNECTIONS, Doorstep.PATIENCE_TICKS, tls.isPresent()));
    doorsteps.put(name, doorstep);
    every(tick, doorstep::tick);
    Listener.Port port =
        new Listener.Port(
            name,
            spoken(name),
            address,
            loops,
            doorstep,
            faults,
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

  private static Listener.Spoken spoken(String name) {
    return name.equals(GRPC) ? Listener.Spoken.GRPC : Listener.Spoken.HTTP;
  }

  /** What certificates of clients must lead to, where they are asked for. */
  private Optional<Path> authority(String name) {
    boolean asksWhoCalls = name.equals(HTTP) || name.equals(GRPC);
    return asksWhoCalls ? settings.callers().authority() : Optional.empty();
  }

  private static String cannotListen(String name, Address address, Throwable cause) {
    Throwable reason = cause.getMessage() == null ? found(address, cause) : cause;
    boolean inUse =
        reason instanceof BindException && String.valueOf(reason.getMessage()).contains("in use");
    return "cannot listen on "
        + address
        + " ("
        + name
        + "): "
        + (inUse ? "the port is in use" : Objects.requireNonNullElse(reason.getMessage(), reason));
  }

  /** Of two loops that share a port, one may only have heard that the other failed. */
  private static Throwable found(Address address, Throwable hearsay) {
    try (ServerSocket attempt = new ServerSocket()) {
      attempt.bind(new InetSocketAddress(address.host(), address.port()));
      return hearsay;
    } catch (IOException e) {
      return e;
    }
  }

  /** Takes certificates that are renewed from now on. */
  void followCertificates() {
    Duration every =
        TlsReload.EVERY.multipliedBy(tick.toMillis()).dividedBy(Connections.TICK.toMillis());
    Optional<Path> authority = settings.callers().authority();
    settings.tls().ifPresent(files -> new TlsReload(vertx, files, authority, secured).begin(every));
  }

  // ---- closing

  /**
   * Takes no more requests, finishes those under way, and stops. The admin port is the last to
   * close: it says meanwhile that no more traffic is wanted.
   */
  void close() {
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
      LOG.warn("not everything could be closed: {}", e.toString());
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
