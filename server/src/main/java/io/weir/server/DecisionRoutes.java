package io.weir.server;

import io.weir.engine.Engine;
import io.weir.server.check.AdHocCheckEndpoint;
import io.weir.server.check.AdHocLimits;
import io.weir.server.check.BatchEndpoint;
import io.weir.server.check.CheckEndpoints;
import io.weir.server.check.ForwardAuth;
import io.weir.server.check.ReservationEndpoints;
import io.weir.server.envoy.EnvoyFrontEnd;
import io.weir.server.envoy.EnvoyJsonEndpoint;
import io.weir.server.front.CallerAuth;
import io.weir.server.front.GuardedCalls;
import io.weir.server.front.Health;
import io.weir.server.front.RequestLimiter;
import io.weir.server.http.LoopContext;
import io.weir.server.http.Route;
import io.weir.server.http.Router;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.ServerStores;
import java.util.Map;

/** The routes of the data port: decisions, reservations, forward-auth and health. */
final class DecisionRoutes {
  private final Engine engine;
  private final GuardedCalls guarded;
  private final RequestLimiter limiter;
  private final CallerAuth callers;
  private final EnvoyFrontEnd envoy;
  private final AdHocCheckEndpoint rateLimit;
  private final ForwardAuth forwardAuth;
  private final Health health;
  private final String warmUpPath;

  DecisionRoutes(
      Engine engine,
      GuardedCalls guarded,
      RequestLimiter limiter,
      CallerAuth callers,
      EnvoyFrontEnd envoy,
      ServerStores stores,
      Metrics metrics,
      Health health,
      String warmUpPath) {
    this.engine = engine;
    this.guarded = guarded;
    this.limiter = limiter;
    this.callers = callers;
    this.envoy = envoy;
    AdHocLimits adHoc = new AdHocLimits(stores.adHoc(), metrics::onAdHocDecision);
    this.rateLimit = new AdHocCheckEndpoint(adHoc, guarded);
    this.forwardAuth = new ForwardAuth(limiter);
    this.health = health;
    this.warmUpPath = warmUpPath;
  }

  Router router(LoopContext loop) {
    CheckEndpoints checks = new CheckEndpoints(engine, guarded, limiter);
    BatchEndpoint batches = new BatchEndpoint(checks);
    ReservationEndpoints reservations = new ReservationEndpoints(engine, guarded);
    EnvoyJsonEndpoint json = new EnvoyJsonEndpoint(envoy.service());
    Map<String, Route> routes =
        Map.ofEntries(
            Map.entry("/v1/check", Route.post(checks::check)),
            Map.entry("/v1/check/batch", Route.post(batches::check)),
            Map.entry("/v1/reserve", Route.post(checks::reserve)),
            Map.entry("/v1/settle", Route.post(reservations::settle)),
            Map.entry("/v1/release", Route.post(reservations::release)),
            Map.entry("/v1/renew", Route.post(reservations::renew)),
            Map.entry("/v1/explain", Route.post(checks::explain)),
            Map.entry("/v1/limits", Route.get(checks::limits)),
            Map.entry("/v1/authorize", Route.get(forwardAuth::authorize)),
            Map.entry("/ratelimit/check", Route.post(rateLimit::check)),
            Map.entry(warmUpPath, Route.post(checks::look).withoutAuth()),
            Map.entry("/json", Route.post(json::json)),
            Map.entry("/healthcheck", Route.get(health::healthcheck).withoutAuth()),
            Map.entry("/healthz", Route.get(health::alive).withoutAuth()),
            Map.entry("/readyz", Route.get(health::ready).withoutAuth()));
    return new Router(loop, routes, callers);
  }
}
