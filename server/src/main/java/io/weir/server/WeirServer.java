package io.weir.server;

import io.vertx.core.Vertx;
import io.weir.DecisionListener;
import io.weir.Mode;
import io.weir.engine.Engine;
import io.weir.engine.EngineBuilder;
import io.weir.near.NearStore;
import io.weir.rule.RuleSet;
import io.weir.server.admin.ConsolePages;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ControlSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.ControlPlane;
import io.weir.server.envoy.EnvoyFrontEnd;
import io.weir.server.envoy.EnvoyGrpc;
import io.weir.server.envoy.EnvoyReloader;
import io.weir.server.envoy.GrpcRouter;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.front.CallerAuth;
import io.weir.server.front.GuardedCalls;
import io.weir.server.front.Health;
import io.weir.server.front.LoadShedder;
import io.weir.server.front.RequestLimiter;
import io.weir.server.gateway.Gateway;
import io.weir.server.gateway.UpstreamMetrics;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.http.InternalErrors;
import io.weir.server.http.LoopContext;
import io.weir.server.listen.Listener;
import io.weir.server.listen.ListenerGroup;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.RuleReloader;
import io.weir.server.state.RuleSink;
import io.weir.server.state.ServerStores;
import io.weir.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Weir process: opens the listeners, decides calls by the rules of a file, and reloads that
 * file when it changes.
 *
 * <pre>{@code
 * try (WeirServer server = WeirServer.start(ServerConfig.DEFAULT.rules(Path.of("rules.yaml")))) {
 *   System.out.println("listens on " + server.http());
 * }
 * }</pre>
 */
public final class WeirServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WeirServer.class);
  private static final int HOT_KEY_TICKS = 10;

  /** How long the start waits for the store before the process takes traffic without it. */
  private static final Duration STORE_TIMEOUT = Duration.ofSeconds(2);

  private final ListenerGroup listeners;
  private final Duration tick;
  private final RuleReloader ruleReloader;
  private final Health health = new Health();
  private final Metrics metrics;
  private final ServerStores stores;
  private final Engine engine;
  private final Optional<ControlPlane> control;
  private final RequestLimiter limiter;
  private final FrontEndSettings settings;
  private final CallerAuth callers;
  private final EnvoyFrontEnd envoy;
  private final DecisionRoutes decisionRoutes;
  private final AdminRoutes adminRoutes;
  private final ServerConfig config;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ListenerWarmUp warmUp = new ListenerWarmUp();
  private final UpstreamMetrics upstreamMetrics = new UpstreamMetrics();
  private ListenAddress http;
  private ListenAddress admin;
  private ListenAddress gateway;
  private Optional<ListenAddress> grpc = Optional.empty();

  /** The reloaders of the process's rule files. */
  private record Reloaders(RuleReloader rules, EnvoyReloader envoy) {
    static Reloaders open(ServerConfig config) throws ConfigException {
      boolean inDatabase = config.control().rulesInDatabase();
      if (config.rules().isEmpty() && config.envoy().folder().isEmpty() && !inDatabase) {
        throw new ConfigException(List.of("no rules are configured"));
      }
      return new Reloaders(
          RuleReloader.open(
              inDatabase ? Optional.empty() : config.rules(),
              config.stateFolder(),
              config.attributes()),
          EnvoyReloader.open(config.envoy(), config.stateFolder()));
    }

    void close() {
      rules.close();
      envoy.close();
    }
  }

  private WeirServer(
      ServerConfig config, Reloaders reloaders, ServerStores stores, Metrics metrics, Duration tick)
      throws ConfigException {
    this.config = config;
    this.tick = tick;
    this.ruleReloader = reloaders.rules();
    this.stores = stores;
    this.metrics = metrics;
    this.settings = config.frontEnd();
    this.http = config.http();
    this.admin = config.admin();
    this.control = ControlPlane.of(config, metrics, SystemTime.INSTANCE);
    RuleSet ofFile = reloaders.rules().initialRules();
    DecisionListener listener = control.map(plane -> plane.recording(metrics)).orElse(metrics);
    EngineBuilder builder = Engine.builder();
    if (control.isPresent()) {
      builder.followQuotas();
    }
    this.engine =
        builder
            .rules(control.map(plane -> plane.firstRules(ofFile)).orElse(ofFile))
            .store(stores.shared())
            .local(stores.memory())
            .reservationSecret(config.reservationSecret().getBytes(StandardCharsets.UTF_8))
            .instances(stores::instances)
            .listener(listener)
            .newKeysPerAddress(config.shared().newKeysPerAddress())
            .auditAdmissions()
            .build();
    HotKeyAdvisor advisor = new HotKeyAdvisor(this::instances, stores.layout(), this::isShadow);
    engine.nearStore().ifPresent(near -> metrics.registerNearStore(near, advisor));
    engine.auditor().ifPresent(metrics::registerAudit);
    metrics.registerNewKeyCap(engine.newKeyCap());
    metrics.counter(
        "weir.clamped.settlements",
        "Limits charged less than a settlement requested, because the cost was above the cap",
        engine,
        Engine::clampedSettlements);
    LoadShedder guard =
        new LoadShedder(config.guard().rate(), config.guard().inFlight(), SystemTime.INSTANCE);
    GuardedCalls guarded = new GuardedCalls(guard, SystemTime.INSTANCE, metrics::onDecisionTime);
    this.gateway = settings.gateway().address();
    this.limiter = new RequestLimiter(engine, guarded, settings);
    limiter.registerMetrics(metrics);
    this.callers = new CallerAuth(settings.callers());
    this.envoy = new EnvoyFrontEnd(reloaders.envoy(), config.envoy(), engine, guard, metrics, tick);
    this.decisionRoutes =
        new DecisionRoutes(
            engine, guarded, limiter, callers, envoy, stores, metrics, health, warmUp.path());
    this.adminRoutes =
        new AdminRoutes(
            settings.admin(),
            health,
            metrics,
            engine,
            stores,
            advisor,
            control.map(plane -> plane.services(engine)));
    metrics.gauge("weir.keys", "Keys in the memory table", stores, ServerStores::keys);
    metrics.counter(
        "weir.overflow.draws",
        "Draws from overflow buckets, because the memory table was full",
        stores,
        ServerStores::overflowed);
    metrics.counter(
        "weir.guard.refused", "Calls refused by the load guard", guard, LoadShedder::refused);
    metrics.gauge(
        "weir.instances", "Instances that share the store", stores, ServerStores::instances);
    if (config.redis().isPresent() && config.reservationSecret().isEmpty()) {
      LOG.info("reservations.secret is not set: only this instance can settle its reservations");
    }
    this.listeners =
        new ListenerGroup(
            settings, metrics.errors(), tick); // last: it starts threads that must be closed
  }

  private int instances() {
    return engine.nearStore().map(NearStore::instances).orElse(1);
  }

  /** Whether a rule or an Envoy limit is in shadow mode. */
  private boolean isShadow(String id) {
    return engine
        .rules()
        .rule(id)
        .map(rule -> rule.mode() == Mode.SHADOW)
        .orElseGet(
            () ->
                envoyConfig().limits().stream()
                    .anyMatch(limit -> limit.id().equals(id) && limit.isShadow()));
  }

  /**
   * Starts a server. Returns when it listens and the store is available, or after the store
   * timeout.
   *
   * @throws ConfigException if the rules are invalid or an address cannot be listened on
   */
  public static WeirServer start(ServerConfig config) throws ConfigException {
    return start(config, ConnectionTracker.TICK);
  }

  /** As {@link #start(ServerConfig)}, with another tick for timeouts; for tests. */
  public static WeirServer start(ServerConfig config, Duration tick) throws ConfigException {
    Optional<String> problem = config.frontEnd().admin().problemAt(config.admin());
    if (problem.isPresent()) {
      throw new ConfigException(List.of("listen.admin: " + problem.get()));
    }
    if (config.stateFolder().isEmpty() && !config.control().equals(ControlSettings.DEFAULT)) {
      throw new ConfigException(List.of("control.database and rules.database need state.dir"));
    }
    CompletableFuture<Void> protobuf = CompletableFuture.runAsync(EnvoyGrpc::load);
    Reloaders reloaders = Reloaders.open(config);
    Metrics metrics = new Metrics(new InternalErrors());
    WeirServer server = make(config, reloaders, metrics, tick);
    try {
      protobuf.join();
      server.listen();
    } catch (ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  /** Creates a server; on failure closes everything it opened. */
  private static WeirServer make(
      ServerConfig config, Reloaders reloaders, Metrics metrics, Duration tick)
      throws ConfigException {
    ServerStores stores;
    try {
      stores = ServerStores.open(config, metrics.store(), metrics.errors());
    } catch (ConfigException | RuntimeException e) {
      reloaders.close();
      throw e;
    }
    try {
      return new WeirServer(config, reloaders, stores, metrics, tick);
    } catch (ConfigException | RuntimeException e) {
      stores.close();
      reloaders.close();
      throw e;
    }
  }

  private void listen() throws ConfigException {
    control.ifPresent(plane -> plane.start(engine));
    ruleReloader.follow(
        control.map(ControlPlane::ruleSink).orElseGet(() -> RuleSink.of(engine, metrics)), metrics);
    envoy.follow();
    if (servesDecisions()) {
      http = listeners.open(ListenerGroup.HTTP, http, decisionRoutes::router);
      warmUp.http(http, isSecured(ListenerGroup.HTTP));
    }
    if (settings.gateway().isOn()) {
      upstreamMetrics.register(metrics);
      gateway = listeners.open(ListenerGroup.GATEWAY, gateway, gatewaySilentTicks(), this::gateway);
      warmUp.gateway(gateway, isSecured(ListenerGroup.GATEWAY));
    }
    admin = listeners.open(ListenerGroup.ADMIN, admin, adminRoutes::router);
    if (servesDecisions()) {
      listenForEnvoy();
      warnIfOpen(http);
      grpc.ifPresent(this::warnIfOpen);
    }
    listeners.followCertificates();
    listeners.every(tick.multipliedBy(HOT_KEY_TICKS), metrics::logHotKeyAdvice);
    stores.awaitReady(STORE_TIMEOUT);
    CodeWarmUp.run(engine);
    warmUp.run(listeners.vertx());
    health.set(Health.State.READY);
    control.ifPresent(ControlPlane::open);
    adminRoutes.warmUp();
  }

  private void warnIfOpen(ListenAddress address) {
    if (!address.isLoopback() && settings.callers().acceptsAll()) {
      LOG.warn(
          "{} can be reached from other machines without authentication; set callers", address);
    }
  }

  /**
   * Opens the gRPC port. If it is in use and gRPC was not configured, the process runs without it.
   */
  private void listenForEnvoy() throws ConfigException {
    try {
      grpc = Optional.of(listeners.open(ListenerGroup.GRPC, config.grpc(), this::grpc));
      grpc.ifPresent(address -> warmUp.grpc(address, isSecured(ListenerGroup.GRPC)));
      envoy.divideQuotas();
    } catch (ConfigException e) {
      if (config.needsGrpc()) {
        throw e;
      }
      LOG.warn("{}; gRPC (Envoy) is off", e.reasons().get(0));
    }
  }

  private GrpcRouter grpc(LoopContext loop) {
    return new GrpcRouter(loop, callers, envoy, health::isReady, tick);
  }

  private Gateway gateway(LoopContext loop) {
    Gateway handler =
        new Gateway(loop, limiter, settings.gateway(), upstreamMetrics, ListenerGroup.LOOPS);
    loop.vertx().setPeriodic(tick.toMillis(), now -> handler.tick());
    return handler;
  }

  /**
   * Ticks without a byte after which a gateway connection is closed. Longer than the upstream
   * timeout and the longest shaping delay, during which a connection is silent although its client
   * still waits.
   */
  private int gatewaySilentTicks() {
    long timeout = settings.gateway().timeoutTicks() + 5;
    long delay = MaxShapingDelay.longest(engine.rules()).dividedBy(tick) + 5;
    return (int) Math.max(Listener.Protocol.HTTP.idleTicks(), Math.max(timeout, delay));
  }

  /** The version of Weir, from the manifest of its jar. */
  public static String version() {
    String version = WeirServer.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }

  /** The path of the web console on the admin port. */
  public static String consolePath() {
    return ConsolePages.PATH;
  }

  /** The Vert.x instance whose event loops run all listeners. */
  public Vertx vertx() {
    return listeners.vertx();
  }

  /** Whether a listener uses TLS, by its name in the configuration. */
  public boolean isSecured(String listener) {
    return settings.tls().map(tls -> tls.listeners().contains(listener)).orElse(false);
  }

  /** Whether the data and gRPC ports are open; a process can also be a gateway only. */
  public boolean servesDecisions() {
    return !settings.gateway().isOn() || settings.gateway().decisions();
  }

  /** The address of the data port, with the actual port. */
  public ListenAddress http() {
    return http;
  }

  /** The address of the gateway, if there is one, with the actual port. */
  public ListenAddress gateway() {
    return gateway;
  }

  /** The address of the admin port (metrics, health, admin API), with the actual port. */
  public ListenAddress admin() {
    return admin;
  }

  /**
   * The token for the admin API that was generated at start; empty if tokens are configured. It is
   * stored nowhere else.
   */
  public Optional<String> generatedAdminToken() {
    return adminRoutes.generatedToken();
  }

  /** The address of the gRPC port, with the actual port; empty if the port was in use. */
  public Optional<ListenAddress> grpc() {
    return grpc;
  }

  /** The Envoy limits in force. */
  public EnvoyConfig envoyConfig() {
    return envoy.config();
  }

  /** A description of the store, for people. */
  public String store() {
    return stores.name();
  }

  /** The control plane; empty without a state folder. */
  public Optional<ControlPlane> control() {
    return control;
  }

  /** The rules in force. */
  public RuleSet rules() {
    return engine.rules();
  }

  /**
   * Finishes the requests in flight, accepts no new ones, and stops. The admin port closes last:
   * until then it reports that the process is not ready.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    health.set(Health.State.STOPPING);
    ruleReloader.close();
    envoy.close();
    listeners.close();
    limiter.close();
    control.ifPresent(ControlPlane::close);
    stores.leaveFleet();
    engine.close();
    stores.close();
  }
}
