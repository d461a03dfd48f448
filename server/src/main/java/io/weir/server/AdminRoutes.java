package io.weir.server;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.engine.Engine;
import io.weir.server.admin.AdminAuth;
import io.weir.server.admin.ConsolePages;
import io.weir.server.admin.HotKeysEndpoint;
import io.weir.server.admin.OverviewEndpoint;
import io.weir.server.admin.api.AdminApi;
import io.weir.server.admin.api.TokenUses;
import io.weir.server.config.AdminSettings;
import io.weir.server.control.ControlServices;
import io.weir.server.front.Health;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.LoopContext;
import io.weir.server.http.Route;
import io.weir.server.http.Router;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.ServerStores;
import io.weir.time.SystemTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes of the admin port, and the access check before them. */
public final class AdminRoutes {
  public static final String HOT_KEYS = "/admin/v1/hot-keys";
  public static final String OVERVIEW = "/admin/v1/overview";

  private final AdminAuth auth;
  private final Health health;
  private final Metrics metrics;
  private final HotKeysEndpoint hotKeys;
  private final OverviewEndpoint overview;
  private final ConsolePages console = new ConsolePages();
  private final boolean openMetrics;
  private final Engine engine;
  private final Optional<ControlServices> control;
  private @Nullable AdminApi api;

  /**
   * @param control empty for a server without a control plane
   */
  public AdminRoutes(
      AdminSettings settings,
      Health health,
      Metrics metrics,
      Engine engine,
      ServerStores stores,
      HotKeyAdvisor advisor,
      Optional<ControlServices> control) {
    this.engine = engine;
    this.control = control;
    this.auth = auth(settings);
    this.health = health;
    this.metrics = metrics;
    this.hotKeys = new HotKeysEndpoint(engine, auth, advisor);
    this.overview =
        new OverviewEndpoint(
            WeirServer.version(), engine, health, stores, metrics, SystemTime.INSTANCE);
    this.openMetrics = !settings.metricsNeedToken();
  }

  private AdminAuth auth(AdminSettings settings) {
    TokenUses uses =
        new TokenUses(
            () -> control.flatMap(services -> services.database().get()),
            task -> api().execute(task),
            SystemTime.INSTANCE);
    return new AdminAuth(
        settings,
        () -> control.map(services -> services.tokens().get()).orElse(List.of()),
        uses,
        SystemTime.INSTANCE);
  }

  public Router router(LoopContext loop) {
    Route scrape = Route.get((exchange, body) -> scrape(loop, exchange));
    Map<String, Route> routes = new HashMap<>(console.routes());
    routes.put("/", Route.get(console::root).withoutAuth());
    routes.put("/healthz", Route.get(health::alive).withoutAuth());
    routes.put("/readyz", Route.get(health::ready).withoutAuth());
    routes.put("/metrics", openMetrics ? scrape.withoutAuth() : scrape);
    routes.put(HOT_KEYS, Route.get(hotKeys::show));
    routes.put(OVERVIEW, Route.get(overview::show));
    AdminApi contracted = api(loop.vertx());
    return new Router(
        loop,
        (path, method) -> {
          Route fixed = routes.get(path);
          return fixed == null ? contracted.find(path, method) : fixed;
        },
        this::refusal);
  }

  private Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route) {
    Optional<HttpProblemException> refusal = auth.refusal(request, route);
    return refusal.isPresent() || route == null || route.open()
        ? refusal
        : api().roleRefusal(request);
  }

  /** The API, which all event loops share. */
  private synchronized AdminApi api(Vertx vertx) {
    AdminApi found = api;
    if (found == null) {
      found = AdminApi.of(vertx, control, auth, engine, SystemTime.INSTANCE);
      api = found;
    }
    return found;
  }

  private synchronized AdminApi api() {
    if (api == null) {
      throw new IllegalStateException("the admin port is not open");
    }
    return api;
  }

  /** Reads the contract in the background, after the start. */
  void warmUp() {
    api().warmUp();
  }

  /**
   * Writes the metrics on a worker thread, one scrape after the other. With a thousand limits that
   * takes too long for the event loop, which decisions share.
   */
  private void scrape(LoopContext loop, HttpExchange exchange) {
    exchange.whenDone(
        loop.vertx().executeBlocking(metrics::scrape).toCompletionStage(), exchange::answerMetrics);
  }

  /** The token generated at start; empty if tokens are configured or stored. */
  Optional<String> generatedToken() {
    return auth.generatedToken();
  }
}
