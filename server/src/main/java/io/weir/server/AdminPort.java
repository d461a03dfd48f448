package io.weir.server;

import io.weir.Weir;
import io.weir.time.SystemTime;
import java.util.Map;
import java.util.Optional;

/** What there is on the admin port, and who may have it. */
final class AdminPort {
  static final String HOT_KEYS = "/admin/v1/hot-keys";

  private final AdminDoor door;
  private final Health health;
  private final Metrics metrics;
  private final HotKeyReport hotKeys;
  private final boolean metricsForAll;

  AdminPort(AdminSettings settings, Health health, Metrics metrics, Weir weir) {
    this.door = new AdminDoor(settings, SystemTime.INSTANCE);
    this.health = health;
    this.metrics = metrics;
    this.hotKeys = new HotKeyReport(weir, door);
    this.metricsForAll = !settings.metricsNeedToken();
  }

  Router router(Loop loop) {
    Route scrape = Route.get((exchange, body) -> exchange.answerText(metrics.scrape()));
    return new Router(
        loop,
        Map.of(
            "/healthz",
            Route.get(health::alive).forAll(),
            "/readyz",
            Route.get(health::ready).forAll(),
            "/metrics",
            metricsForAll ? scrape.forAll() : scrape,
            HOT_KEYS,
            Route.get(hotKeys::show)),
        door);
  }

  /** The token that was made at start as none was set, if so. */
  Optional<String> madeToken() {
    return door.made();
  }
}
