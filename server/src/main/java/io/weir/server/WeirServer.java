package io.weir.server;

import io.vertx.core.Vertx;
import io.weir.Mode;
import io.weir.engine.Engine;
import io.weir.near.NearStore;
import io.weir.rule.RuleSet;
import io.weir.server.admin.ConsolePages;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
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
 * The process: listens, decides by the rules of a file, and follows that file.
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

  /** How long a process waits for its store before it takes traffic without it. */
  private static final Duration STORE_PATIENCE = Duration.ofSeconds(2);

  private final ListenerGroup ports;
  private final Duration tick;
  private final RuleReloader feed;
  private final Health health = new Health();
  private final Metrics metrics;
  private final ServerStores stores;
  private final Engine engine;
  private final RequestLimiter front;
  private final FrontEndSettings settings;
  private final CallerAuth callers;
  private final EnvoyFrontEnd envoy;
  private final DecisionRoutes dataPort;
  private final AdminRoutes adminPort;
  private final ServerConfig config;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ListenerWarmUp warmUp = new ListenerWarmUp();
  private final UpstreamMetrics upstreamCounts = new UpstreamMetrics();
  private ListenAddress http;
  private ListenAddress admin;
  private ListenAddress gateway;
  private Optional<ListenAddress> grpc = Optional.empty();

  /** The files that a process follows. */
  private record Reloaders(RuleReloader rules, EnvoyReloader envoy) {
    static Reloaders open(ServerConfig config) throws ConfigException {
      if (config.rules().isEmpty() && config.envoy().folder().isEmpty()) {
        throw new ConfigException(List.of("no rules were named"));
      }
      return new Reloaders(
          RuleReloader.open(config.rules(), config.stateFolder(), config.attributes()),
          EnvoyReloader.open(config.envoy(), config.stateFolder()));
    }

    void close() {
      rules.close();
      envoy.close();
    }
  }

  private WeirServer(
      ServerConfig config, Reloaders feeds, ServerStores stores, Metrics metrics, Duration tick)
      throws ConfigException {
    this.config = config;
    this.tick = tick;
    this.feed = feeds.rules();
    this.stores = stores;
    this.metrics = metrics;
    this.settings = config.frontEnd();
    this.http = config.http();
    this.admin = config.admin();
    this.engine =
        Engine.builder()
            .rules(feeds.rules().initialRules())
            .store(stores.shared())
            .local(stores.memory())
            .reservationSecret(config.reservationSecret().getBytes(StandardCharsets.UTF_8))
            .instances(stores::instances)
            .listener(metrics)
            .newKeysPerAddress(config.shared().newKeysPerAddress())
            .auditAdmissions()
            .build();
    HotKeyAdvisor advisor = new HotKeyAdvisor(this::instances, stores.layout(), this::isShadow);
    engine.nearStore().ifPresent(tier -> metrics.registerNearStore(tier, advisor));
    engine.auditor().ifPresent(metrics::registerAudit);
    metrics.registerNewKeyCap(engine.newKeyCap());
    metrics.counter(
        "weir.clamped.settlements",
        "Limits that were charged less than a settlement asked for, as it was too high",
        engine,
        Engine::clampedSettlements);
    LoadShedder guard =
        new LoadShedder(config.guard().rate(), config.guard().inFlight(), SystemTime.INSTANCE);
    GuardedCalls guarded = new GuardedCalls(guard, SystemTime.INSTANCE, metrics::onDecisionTime);
    this.gateway = settings.gateway().address();
    this.front = new RequestLimiter(engine, guarded, settings);
    front.show(metrics);
    this.callers = new CallerAuth(settings.callers());
    this.envoy = new EnvoyFrontEnd(feeds.envoy(), config.envoy(), engine, guard, metrics, tick);
    this.dataPort =
        new DecisionRoutes(
            engine, guarded, front, callers, envoy, stores, metrics, health, warmUp.path());
    this.adminPort = new AdminRoutes(settings.admin(), health, metrics, engine, stores, advisor);
    metrics.gauge("weir.keys", "Keys remembered", stores, ServerStores::keys);
    metrics.counter(
        "weir.overflow.draws",
        "Draws from overflow buckets, as the memory table had no room for a key",
        stores,
        ServerStores::overflowed);
    metrics.counter(
        "weir.guard.refused", "Calls turned away at the guard", guard, LoadShedder::refused);
    metrics.gauge(
        "weir.instances", "Instances that share the store", stores, ServerStores::instances);
    if (config.redis().isPresent() && config.reservationSecret().isEmpty()) {
      LOG.info("reservations.secret is not set: only this instance can settle what it reserves");
    }
    this.ports =
        new ListenerGroup(settings, metrics.faults(), tick); // last: it has threads to be closed
  }

  private int instances() {
    return engine.nearStore().map(NearStore::instances).orElse(1);
  }

  /** Whether a rule, or a limit for Envoy, only counts what it would refuse. */
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
   * Starts a server; returns when it listens and its store is there, or has been waited for.
   *
   * @throws ConfigException if the rules are invalid or an address cannot be listened on
   */
  public static WeirServer start(ServerConfig config) throws ConfigException {
    return start(config, ConnectionTracker.TICK);
  }

  /** As {@link #start(ServerConfig)}, with another unit of patience; for tests. */
  public static WeirServer start(ServerConfig config, Duration tick) throws ConfigException {
    Optional<String> problem = config.frontEnd().admin().problemAt(config.admin());
    if (problem.isPresent()) {
      throw new ConfigException(List.of("listen.admin: " + problem.get()));
    }
    CompletableFuture<Void> described = CompletableFuture.runAsync(EnvoyGrpc::load);
    Reloaders feeds = Reloaders.open(config);
    Metrics metrics = new Metrics(new InternalErrors());
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
  private static WeirServer make(
      ServerConfig config, Reloaders feeds, Metrics metrics, Duration tick) throws ConfigException {
    ServerStores stores;
    try {
      stores = ServerStores.open(config, metrics.store(), metrics.faults());
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
    feed.follow(engine, metrics);
    envoy.follow();
    if (servesDecisions()) {
      http = ports.open(ListenerGroup.HTTP, http, dataPort::router);
      warmUp.http(http, isSecured(ListenerGroup.HTTP));
    }
    if (settings.gateway().isOn()) {
      upstreamCounts.register(metrics);
      gateway = ports.open(ListenerGroup.GATEWAY, gateway, gatewaySilentTicks(), this::gateway);
      warmUp.gateway(gateway, isSecured(ListenerGroup.GATEWAY));
    }
    admin = ports.open(ListenerGroup.ADMIN, admin, adminPort::router);
    if (servesDecisions()) {
      listenForEnvoy();
      warnIfOpen(http);
      grpc.ifPresent(this::warnIfOpen);
    }
    ports.followCertificates();
    ports.every(tick.multipliedBy(HOT_KEY_TICKS), metrics::logHotKeyAdvice);
    stores.awaitReady(STORE_PATIENCE);
    CodeWarmUp.run(engine);
    warmUp.run(ports.vertx());
    health.set(Health.State.READY);
  }

  private void warnIfOpen(ListenAddress address) {
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
  private void listenForEnvoy() throws ConfigException {
    try {
      grpc = Optional.of(ports.open(ListenerGroup.GRPC, config.grpc(), this::grpc));
      grpc.ifPresent(address -> warmUp.grpc(address, isSecured(ListenerGroup.GRPC)));
      envoy.divideQuotas();
    } catch (ConfigException e) {
      if (config.needsGrpc()) {
        throw e;
      }
      LOG.warn("{}; Envoy cannot ask here", e.reasons().get(0));
    }
  }

  private GrpcRouter grpc(LoopContext loop) {
    return new GrpcRouter(loop, callers, envoy, health::isReady, tick);
  }

  private Gateway gateway(LoopContext loop) {
    Gateway handler =
        new Gateway(loop, front, settings.gateway(), upstreamCounts, ListenerGroup.LOOPS);
    loop.vertx().setPeriodic(tick.toMillis(), now -> handler.tick());
    return handler;
  }

  /**
   * Longer than an upstream may take, and than a rule may hold a request back: that is not a client
   * that has gone.
   */
  private int gatewaySilentTicks() {
    long timeout = settings.gateway().timeoutTicks() + 5;
    long held = MaxShapingDelay.longest(engine.rules()).dividedBy(tick) + 5;
    return (int) Math.max(Listener.Protocol.HTTP.idleTicks(), Math.max(timeout, held));
  }

  /** Which Weir this is, as its jar says. */
  public static String version() {
    String version = WeirServer.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }

  /** Where the web console is, on the admin port. */
  public static String consolePath() {
    return ConsolePages.PATH;
  }

  /** Whose event loops everything runs on. */
  public Vertx vertx() {
    return ports.vertx();
  }

  /** Whether a port, by its name in the configuration, speaks TLS. */
  public boolean isSecured(String listener) {
    return settings.tls().map(tls -> tls.listeners().contains(listener)).orElse(false);
  }

  /** Whether decisions can be asked for; a gateway may be all there is. */
  public boolean servesDecisions() {
    return !settings.gateway().isOn() || settings.gateway().decisions();
  }

  /** Where decisions are asked for; the port is the real one. */
  public ListenAddress http() {
    return http;
  }

  /** Where requests are forwarded, if there is a gateway; the port is the real one. */
  public ListenAddress gateway() {
    return gateway;
  }

  /** Where metrics, health and the admin API are; the port is the real one. */
  public ListenAddress admin() {
    return admin;
  }

  /** The token for the admin API, if it was made at start as none is set. It is nowhere else. */
  public Optional<String> generatedAdminToken() {
    return adminPort.generatedToken();
  }

  /** Where Envoy asks, unless the port was taken; the port is the real one. */
  public Optional<ListenAddress> grpc() {
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
    return engine.rules();
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
    health.set(Health.State.STOPPING);
    feed.close();
    envoy.close();
    ports.close();
    front.close();
    stores.leaveFleet();
    engine.close();
    stores.close();
  }
}
