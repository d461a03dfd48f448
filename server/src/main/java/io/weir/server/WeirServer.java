package io.weir.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.server.envoy.EnvoyGrpc;
import io.weir.tier.Guard;
import io.weir.time.SystemTime;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process: listens, decides by the rules of a file, and follows that file.
 *
 * <pre>{@code
 * try (WeirServer server = WeirServer.start(ServerConfig.DEFAULT.rules(Path.of("rules.yaml")))) {
 *   … server.http() …
 * }
 * }</pre>
 */
public final class WeirServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WeirServer.class);
  private static final int MOST_CONNECTIONS = 20_000;
  private static final int MOST_ADMIN_CONNECTIONS = 100;
  private static final String GRPC = "grpc";
  private static final String ADMIN = "admin";
  private static final int HOT_KEY_TICKS = 10;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  /** How long a process waits for its store before it takes traffic without it. */
  private static final Duration STORE_PATIENCE = Duration.ofSeconds(2);

  private final Doorsteps doorsteps = new Doorsteps();
  private final Vertx vertx =
      Vertx.builder()
          .withTransport(doorsteps)
          .with(
              new VertxOptions()
                  .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
                  .setFileSystemOptions(
                      new FileSystemOptions()
                          .setClassPathResolvingEnabled(false)
                          .setFileCachingEnabled(false)))
          .build();
  private final Duration tick;
  private final RuleFeed feed;
  private final Health health = new Health();
  private final Faults faults;
  private final Metrics metrics;
  private final Stores stores;
  private final Weir weir;
  private final Guarded guarded;
  private final Front front;
  private final FrontEnd settings;
  private final Callers callers;
  private final EnvoyFront envoy;
  private final AdminPort adminPort;
  private final ServerConfig config;
  private final List<Listener> secured = new CopyOnWriteArrayList<>();
  private final Map<String, String> deployments = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final UpstreamCounts upstreamCounts = new UpstreamCounts();
  private Address http;
  private Address admin;
  private Address gateway;
  private Optional<Address> grpc = Optional.empty();

  /** The files that a process follows. */
  private record Feeds(RuleFeed rules, EnvoyFeed envoy) {
    static Feeds open(ServerConfig config) throws ConfigException {
      if (config.rules().isEmpty() && config.envoy().folder().isEmpty()) {
        throw new ConfigException(List.of("no rules were named"));
      }
      return new Feeds(
          RuleFeed.open(config.rules(), config.stateFolder()),
          EnvoyFeed.open(config.envoy(), config.stateFolder()));
    }

    void close() {
      rules.close();
      envoy.close();
    }
  }

  private WeirServer(
      ServerConfig config, Feeds feeds, Stores stores, Metrics metrics, Duration tick)
      throws ConfigException {
    this.config = config;
    this.tick = tick;
    this.feed = feeds.rules();
    this.stores = stores;
    this.metrics = metrics;
    this.faults = metrics.faults();
    vertx.exceptionHandler(faults::report); // of what nobody waits for
    this.http = config.http();
    this.admin = config.admin();
    this.weir =
        Weir.builder()
            .rules(feeds.rules().first())
            .store(stores.shared())
            .local(stores.memory())
            .reservationSecret(config.reservationSecret().getBytes(StandardCharsets.UTF_8))
            .instances(stores::instances)
            .listener(metrics)
            .newKeysPerAddress(config.shared().newKeysPerAddress())
            .witnessed()
            .build();
    weir.tier().ifPresent(metrics::tier);
    weir.witness().ifPresent(metrics::witness);
    weir.newcomers().ifPresent(metrics::newcomers);
    Guard guard = new Guard(config.guard().rate(), config.guard().inFlight(), SystemTime.INSTANCE);
    this.guarded = new Guarded(guard, SystemTime.INSTANCE, metrics::decisionTook);
    this.settings = config.frontEnd();
    this.gateway = settings.gateway().address();
    this.front = new Front(weir, guarded, settings);
    this.callers = new Callers(settings.callers());
    this.envoy = new EnvoyFront(feeds.envoy(), config.envoy(), weir, guard, metrics, tick);
    this.adminPort = new AdminPort(settings.admin(), health, metrics, weir, stores);
    metrics.gauge("weir.keys", "Keys remembered", stores, Stores::keys);
    metrics.counter("weir.guard.refused", "Calls turned away at the guard", guard, Guard::refused);
    metrics.gauge("weir.instances", "Instances that share the store", stores, Stores::instances);
    if (config.redis().isPresent() && config.reservationSecret().isEmpty()) {
      LOG.info("reservations.secret is not set: only this instance can settle what it reserves");
    }
  }

  /**
   * Starts a server; returns when it listens and its store is there, or has been waited for.
   *
   * @throws ConfigException if the rules are invalid or an address cannot be listened on
   */
  public static WeirServer start(ServerConfig config) throws ConfigException {
    return start(config, Connections.TICK);
  }

  /** As {@link #start(ServerConfig)}, with another unit of patience; for tests. */
  static WeirServer start(ServerConfig config, Duration tick) throws ConfigException {
    Optional<String> problem = config.frontEnd().admin().problemAt(config.admin());
    if (problem.isPresent()) {
      throw new ConfigException(List.of("listen.admin: " + problem.get()));
    }
    CompletableFuture<Void> described = CompletableFuture.runAsync(EnvoyGrpc::load);
    Feeds feeds = Feeds.open(config);
    Metrics metrics = new Metrics(new Faults());
    WeirServer server = make(config, feeds, metrics, tick);
    try {
      described.join();
      server.listen();
    } catch (ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  /** Makes a server, or leaves nothing open behind it. */
  private static WeirServer make(ServerConfig config, Feeds feeds, Metrics metrics, Duration tick)
      throws ConfigException {
    Stores stores;
    try {
      stores = Stores.open(config, metrics.store(), metrics.faults());
    } catch (ConfigException | RuntimeException e) {
      feeds.close();
      throw e;
    }
    try {
      return new WeirServer(config, feeds, stores, metrics, tick);
    } catch (ConfigException | RuntimeException e) {
      stores.close();
      feeds.close();
      throw e;
    }
  }

  private void listen() throws ConfigException {
    feed.follow(weir, metrics);
    envoy.follow();
    int loops = Runtime.getRuntime().availableProcessors();
    if (takesDecisions()) {
      http = listen("http", http, loops, MOST_CONNECTIONS, this::data);
    }
    if (settings.gateway().isOn()) {
      upstreamCounts.show(metrics);
      gateway = listen("gateway", gateway, loops, MOST_CONNECTIONS, this::gateway);
    }
    admin = listen(ADMIN, admin, 1, MOST_ADMIN_CONNECTIONS, adminPort::router);
    if (takesDecisions()) {
      listenForEnvoy(loops);
      warnIfOpen(http);
      grpc.ifPresent(this::warnIfOpen);
    }
    Optional<Path> authority = settings.callers().authority();
    settings
        .tls()
        .ifPresent(files -> new TlsReload(vertx, files, authority, secured).begin(reload(tick)));
    vertx.setPeriodic(tick.multipliedBy(HOT_KEY_TICKS).toMillis(), now -> metrics.lookAtHotKeys());
    stores.awaitReady(STORE_PATIENCE);
    Practice.run(weir);
    health.is(Health.State.READY);
  }

  private void warnIfOpen(Address address) {
    if (!address.isLoopback() && settings.callers().isAnyone()) {
      LOG.warn(
          "{} can be reached from other machines, and whoever reaches it may ask for decisions;"
              + " say in callers who may",
          address);
    }
  }

  /**
   * Who has not asked for gRPC in any way is not kept from running because somebody else has its
   * port.
   */
  private void listenForEnvoy(int loops) throws ConfigException {
    boolean asked =
        config.envoy().folder().isPresent() || !config.grpc().equals(ServerConfig.DEFAULT.grpc());
    try {
      grpc = Optional.of(listen(GRPC, config.grpc(), loops, MOST_CONNECTIONS, this::grpc));
      vertx.setPeriodic(tick.toMillis(), period -> envoy.quotas().tick());
    } catch (ConfigException e) {
      if (asked) {
        throw e;
      }
      LOG.warn("{}; Envoy cannot ask here", e.reasons().get(0));
    }
  }

  private GrpcRouter grpc(Loop loop) {
    return new GrpcRouter(loop, callers, envoy, health::isReady, tick);
  }

  /** How often certificates are looked at, in the time of this process. */
  private static Duration reload(Duration tick) {
    return TlsReload.EVERY.multipliedBy(tick.toMillis()).dividedBy(Connections.TICK.toMillis());
  }

  private Address listen(
      String name,
      Address address,
      int loops,
      int mostConnections,
      Function<Loop, Handler<HttpServerRequest>> handler)
      throws ConfigException {
    Optional<Path> authority =
        name.equals("http") || name.equals(GRPC)
            ? settings.callers().authority()
            : Optional.empty();
    Optional<TlsSettings.OfPort> tls = settings.tls().flatMap(files -> files.of(name, authority));
    Doorstep doorstep = new Doorstep(mostConnections);
    doorsteps.put(name, doorstep);
    vertx.setPeriodic(tick.toMillis(), now -> doorstep.tick());
    Listener.Port port =
        new Listener.Port(
            name,
            spoken(name),
            address,
            loops,
            doorstep,
            faults,
            tick,
            idleTicks(name),
            drain(name),
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

  private Router data(Loop loop) {
    Checks checks = new Checks(weir, guarded, front);
    Batches batches = new Batches(checks);
    Settlements settlements = new Settlements(weir, guarded);
    AdHocLimits adHoc = new AdHocLimits(stores.adHoc(), metrics::decidedAdHoc);
    RateLimitCheck rateLimit = new RateLimitCheck(adHoc, guarded);
    EnvoyEndpoint json = new EnvoyEndpoint(envoy.service());
    ForwardAuth forwardAuth = new ForwardAuth(front);
    Map<String, Route> routes =
        Map.ofEntries(
            Map.entry("/v1/check", Route.post(checks::check)),
            Map.entry("/v1/check/batch", Route.post(batches::check)),
            Map.entry("/v1/reserve", Route.post(checks::reserve)),
            Map.entry("/v1/settle", Route.post(settlements::settle)),
            Map.entry("/v1/release", Route.post(settlements::release)),
            Map.entry("/v1/renew", Route.post(settlements::renew)),
            Map.entry("/v1/explain", Route.post(checks::explain)),
            Map.entry("/v1/limits", Route.get(checks::limits)),
            Map.entry("/v1/authorize", Route.get(forwardAuth::authorize)),
            Map.entry("/ratelimit/check", Route.post(rateLimit::check)),
            Map.entry("/json", Route.post(json::json)),
            Map.entry("/healthcheck", Route.get(health::healthcheck).forAll()),
            Map.entry("/healthz", Route.get(health::alive).forAll()),
            Map.entry("/readyz", Route.get(health::ready).forAll()));
    return new Router(loop, routes, callers);
  }

  private Gateway gateway(Loop loop) {
    int loops = Runtime.getRuntime().availableProcessors();
    Gateway handler = new Gateway(loop, front, settings.gateway(), upstreamCounts, loops);
    loop.vertx().setPeriodic(tick.toMillis(), now -> handler.tick());
    return handler;
  }

  /**
   * At the gateway longer than an upstream may take, and than a rule may hold a request back: that
   * is not a client that has gone.
   */
  private int idleTicks(String name) {
    int usual = spoken(name).idleTicks();
    long timeout = settings.gateway().timeout().toSeconds() + 5;
    long held = Waits.longest(weir.rules()).dividedBy(tick) + 5;
    return name.equals("gateway") ? (int) Math.max(usual, Math.max(timeout, held)) : usual;
  }

  private static Listener.Spoken spoken(String name) {
    return name.equals(GRPC) ? Listener.Spoken.GRPC : Listener.Spoken.HTTP;
  }

  private Duration drain(String name) {
    return name.equals("gateway") ? settings.gateway().drain() : DRAIN;
  }

  /** Which Weir this is, as its jar says. */
  public static String version() {
    String version = WeirServer.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }

  /** Where the web console is, on the admin port. */
  public static String consolePath() {
    return Console.PATH;
  }

  /** Whose event loops everything runs on. */
  Vertx vertx() {
    return vertx;
  }

  /** Whether a port, by its name in the configuration, speaks TLS. */
  public boolean isSecured(String listener) {
    return settings.tls().map(tls -> tls.listeners().contains(listener)).orElse(false);
  }

  /** Whether decisions can be asked for; a gateway may be all there is. */
  public boolean takesDecisions() {
    return !settings.gateway().isOn() || settings.gateway().decisions();
  }

  /** Where decisions are asked for; the port is the real one. */
  public Address http() {
    return http;
  }

  /** Where requests are forwarded, if there is a gateway; the port is the real one. */
  public Address gateway() {
    return gateway;
  }

  /** Where metrics, health and the admin API are; the port is the real one. */
  public Address admin() {
    return admin;
  }

  /** The token for the admin API, if it was made at start as none is set. It is nowhere else. */
  public Optional<String> madeAdminToken() {
    return adminPort.madeToken();
  }

  /** Where Envoy asks, unless the port was taken; the port is the real one. */
  public Optional<Address> grpc() {
    return grpc;
  }

  /** The limits for Envoy that hold now. */
  public EnvoyConfig envoyConfig() {
    return envoy.config();
  }

  /** Where state lives, in words. */
  public String store() {
    return stores.name();
  }

  /** The rules that hold now. */
  public RuleSet rules() {
    return weir.rules();
  }

  /**
   * Takes no more requests, finishes those under way, and stops. The admin port is the last to
   * close: it says meanwhile that no more traffic is wanted.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    health.is(Health.State.STOPPING);
    feed.close();
    envoy.close();
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
    front.close();
    stores.leave();
    weir.close();
    stores.close();
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
