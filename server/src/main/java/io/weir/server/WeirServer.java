package io.weir.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;
import io.weir.tier.Guard;
import io.weir.time.SystemTime;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
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
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Vertx vertx =
      Vertx.vertx(
          new VertxOptions()
              .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
              .setFileSystemOptions(
                  new FileSystemOptions()
                      .setClassPathResolvingEnabled(false)
                      .setFileCachingEnabled(false)));
  private final Duration tick;
  private final RuleFeed feed;
  private final Faults faults = new Faults();
  private final Health health = new Health();
  private final Metrics metrics = new Metrics(faults);
  private final MemoryStore adHocStore;
  private final Weir weir;
  private final Guarded guarded;
  private final List<String> deployments = new CopyOnWriteArrayList<>();
  private Address http;
  private Address admin;

  private WeirServer(ServerConfig config, RuleFeed feed, Duration tick) {
    this.tick = tick;
    this.feed = feed;
    this.http = config.http();
    this.admin = config.admin();
    MemoryStore store = config.memory().store();
    this.adHocStore = config.memory().store();
    this.weir =
        Weir.builder()
            .rules(feed.first())
            .store(store)
            .reservationSecret(config.reservationSecret().getBytes(StandardCharsets.UTF_8))
            .listener(metrics)
            .build();
    this.guarded =
        new Guarded(
            new Guard(config.guard().rate(), config.guard().inFlight(), SystemTime.INSTANCE));
    metrics.gauge("weir.keys", "Keys remembered", store, all -> all.keys() + adHocStore.keys());
  }

  /**
   * Starts a server; returns when it listens.
   *
   * @throws ConfigException if the rules are invalid or an address cannot be listened on
   */
  public static WeirServer start(ServerConfig config) throws ConfigException {
    return start(config, Connections.TICK);
  }

  /** As {@link #start(ServerConfig)}, with another unit of patience; for tests. */
  static WeirServer start(ServerConfig config, Duration tick) throws ConfigException {
    Path rules =
        config.rules().orElseThrow(() -> new ConfigException(List.of("no rules were named")));
    RuleFeed feed = RuleFeed.open(rules, config.stateFolder());
    WeirServer server = new WeirServer(config, feed, tick);
    try {
      server.listen();
    } catch (ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  private void listen() throws ConfigException {
    feed.follow(weir, metrics);
    int loops = Runtime.getRuntime().availableProcessors();
    http = listen(http, loops, MOST_CONNECTIONS, this::dataRoutes, "http");
    admin = listen(admin, 1, MOST_ADMIN_CONNECTIONS, this::adminRoutes, "admin");
    if (!http.isLoopback()) {
      LOG.warn(
          "{} can be reached from other machines, and this version cannot ask callers who they are",
          http);
    }
    health.is(Health.State.READY);
  }

  private Address listen(
      Address address,
      int loops,
      int mostConnections,
      Function<Loop, Map<String, Route>> routes,
      String name)
      throws ConfigException {
    Listener.Port port =
        new Listener.Port(
            address, loops, new AtomicInteger(), mostConnections, faults, tick, routes);
    List<Listener> listeners = new CopyOnWriteArrayList<>();
    Future<String> deployed =
        vertx.deployVerticle(
            () -> {
              Listener listener = new Listener(port, DRAIN);
              listeners.add(listener);
              return listener;
            },
            new DeploymentOptions().setInstances(loops));
    try {
      deployments.add(deployed.toCompletionStage().toCompletableFuture().join());
    } catch (CompletionException e) {
      throw new ConfigException(List.of(cannotListen(name, address, e.getCause())));
    }
    return address.port(listeners.get(0).actualPort());
  }

  private static String cannotListen(String name, Address address, Throwable cause) {
    boolean inUse =
        cause instanceof BindException && String.valueOf(cause.getMessage()).contains("in use");
    return "cannot listen on "
        + address
        + " ("
        + name
        + "): "
        + (inUse ? "the port is in use" : cause.getMessage());
  }

  private Map<String, Route> dataRoutes(Loop loop) {
    Checks checks = new Checks(weir, guarded);
    Batches batches = new Batches(checks);
    Settlements settlements = new Settlements(weir, guarded);
    RateLimitCheck rateLimit = new RateLimitCheck(new AdHocLimits(adHocStore), guarded);
    return Map.ofEntries(
        Map.entry("/v1/check", Route.post(checks::check)),
        Map.entry("/v1/check/batch", Route.post(batches::check)),
        Map.entry("/v1/reserve", Route.post(checks::reserve)),
        Map.entry("/v1/settle", Route.post(settlements::settle)),
        Map.entry("/v1/release", Route.post(settlements::release)),
        Map.entry("/v1/renew", Route.post(settlements::renew)),
        Map.entry("/v1/explain", Route.post(checks::explain)),
        Map.entry("/v1/limits", Route.get(checks::limits)),
        Map.entry("/ratelimit/check", Route.post(rateLimit::check)),
        Map.entry("/healthz", Route.get(health::alive)),
        Map.entry("/readyz", Route.get(health::ready)));
  }

  private Map<String, Route> adminRoutes(Loop loop) {
    return Map.of(
        "/healthz", Route.get(health::alive),
        "/readyz", Route.get(health::ready),
        "/metrics", Route.get((exchange, body) -> exchange.answerText(metrics.scrape())));
  }

  /** Where decisions are asked for; the port is the real one. */
  public Address http() {
    return http;
  }

  /** Where metrics and health are; the port is the real one. */
  public Address admin() {
    return admin;
  }

  /** The rules that hold now. */
  public RuleSet rules() {
    return weir.rules();
  }

  /** Takes no more requests, finishes those under way, and stops. */
  @Override
  public void close() {
    health.is(Health.State.STOPPING);
    feed.close();
    List<Future<?>> stopping = new ArrayList<>();
    deployments.forEach(deployment -> stopping.add(vertx.undeploy(deployment)));
    try {
      Future.join(stopping)
          .transform(stopped -> vertx.close())
          .toCompletionStage()
          .toCompletableFuture()
          .get(2 * DRAIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("not everything could be closed: {}", e.toString());
    }
    weir.close();
  }
}
