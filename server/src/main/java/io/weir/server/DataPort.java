package io.weir.server;

import io.weir.Weir;
import java.util.Map;

/** What can be asked for over HTTP where decisions are made. */
final class DataPort {
  private final Weir weir;
  private final Guarded guarded;
  private final Front front;
  private final Callers callers;
  private final EnvoyFront envoy;
  private final RateLimitCheck rateLimit;
  private final ForwardAuth forwardAuth;
  private final Health health;
  private final String warmUpPath;

  DataPort(
      Weir weir,
      Guarded guarded,
      Front front,
      Callers callers,
      EnvoyFront envoy,
      Stores stores,
      Metrics metrics,
      Health health,
      String warmUpPath) {
    this.weir = weir;
    this.guarded = guarded;
    this.front = front;
    this.callers = callers;
    this.envoy = envoy;
    AdHocLimits adHoc = new AdHocLimits(stores.adHoc(), metrics::decidedAdHoc);
    this.rateLimit = new RateLimitCheck(adHoc, guarded);
    this.forwardAuth = new ForwardAuth(front);
    this.health = health;
    this.warmUpPath = warmUpPath;
  }

  Router router(Loop loop) {
    Checks checks = new Checks(weir, guarded, front);
    Batches batches = new Batches(checks);
    Settlements settlements = new Settlements(weir, guarded);
    EnvoyEndpoint json = new EnvoyEndpoint(envoy.service());
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
            Map.entry(warmUpPath, Route.post(checks::look).forAll()),
            Map.entry("/json", Route.post(json::json)),
            Map.entry("/healthcheck", Route.get(health::healthcheck).forAll()),
            Map.entry("/healthz", Route.get(health::alive).forAll()),
            Map.entry("/readyz", Route.get(health::ready).forAll()));
    return new Router(loop, routes, callers);
  }
}
