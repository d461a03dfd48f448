package io.weir.server;

import io.weir.engine.Engine;
import io.weir.server.admin.AdminAuth;
import io.weir.server.admin.ConsolePages;
import io.weir.server.admin.HotKeysEndpoint;
import io.weir.server.admin.OverviewEndpoint;
import io.weir.server.config.AdminSettings;
import io.weir.server.front.Health;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.LoopContext;
import io.weir.server.http.Route;
import io.weir.server.http.Router;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.ServerStores;
import io.weir.time.SystemTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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

  public AdminRoutes(
      AdminSettings settings,
      Health health,
      Metrics metrics,
      Engine engine,
      ServerStores stores,
      HotKeyAdvisor advisor) {
    this.auth = new AdminAuth(settings, SystemTime.INSTANCE);
    this.health = health;
    this.metrics = metrics;
    this.hotKeys = new HotKeysEndpoint(engine, auth, advisor);
    this.overview =
        new OverviewEndpoint(
            WeirServer.version(), engine, health, stores, metrics, SystemTime.INSTANCE);
    this.openMetrics = !settings.metricsNeedToken();
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
    return new Router(loop, Map.copyOf(routes), auth);
  }

  /**
   * Writes the metrics on a worker thread, one scrape after the other. With a thousand limits that
   * takes too long for the event loop, which decisions share.
   */
  private void scrape(LoopContext loop, HttpExchange exchange) {
    exchange.whenDone(
        loop.vertx().executeBlocking(metrics::scrape).toCompletionStage(), exchange::answerMetrics);
  }

  /** The token generated at start; empty if tokens are configured. */
  Optional<String> generatedToken() {
    return auth.generatedToken();
  }
}
