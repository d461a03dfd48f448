package io.weir.server;

import io.weir.Weir;
import io.weir.time.SystemTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What there is on the admin port, and who may have it. */
final class AdminPort {
  static final String HOT_KEYS = "/admin/v1/hot-keys";
  static final String OVERVIEW = "/admin/v1/overview";

  private final AdminDoor door;
  private final Health health;
  private final Metrics metrics;
  private final HotKeyReport hotKeys;
  private final OverviewReport overview;
  private final Console console = new Console();
  private final boolean metricsForAll;

  AdminPort(
      AdminSettings settings,
      Health health,
      Metrics metrics,
      Weir weir,
      Stores stores,
      HotKeyAdvisor advisor) {
    this.door = new AdminDoor(settings, SystemTime.INSTANCE);
    this.health = health;
    this.metrics = metrics;
    this.hotKeys = new HotKeyReport(weir, door, advisor);
    this.overview = new OverviewReport(weir, health, stores, metrics, SystemTime.INSTANCE);
    this.metricsForAll = !settings.metricsNeedToken();
  }

  Router router(Loop loop) {
    Route scrape = Route.get((exchange, body) -> scrape(loop, exchange));
    Map<String, Route> routes = new HashMap<>(console.routes());
    routes.put("/", Route.get(console::root).forAll());
    routes.put("/healthz", Route.get(health::alive).forAll());
    routes.put("/readyz", Route.get(health::ready).forAll());
    routes.put("/metrics", metricsForAll ? scrape.forAll() : scrape);
    routes.put(HOT_KEYS, Route.get(hotKeys::show));
    routes.put(OVERVIEW, Route.get(overview::show));
    return new Router(loop, Map.copyOf(routes), door);
  }

  /**
   * A thousand limits take a while to write down, and connections for decisions share the loop. So
   * a worker does it, for one scrape after the other.
   */
  private void scrape(Loop loop, Exchange exchange) {
    exchange.whenDone(
        loop.vertx().executeBlocking(metrics::scrape).toCompletionStage(), exchange::answerText);
  }

  /** The token that was made at start as none was set, if so. */
  Optional<String> madeToken() {
    return door.made();
  }
}
