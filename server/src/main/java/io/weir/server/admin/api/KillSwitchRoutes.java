package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.server.control.KillSwitchOperations;
import io.weir.server.control.KillSwitchOperations.Active;
import io.weir.time.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The kill switch; answered with the database unavailable too. */
final class KillSwitchRoutes implements ApiRoutes {
  private static final String USUAL = "4h";
  private static final String ALL = "all";

  private final KillSwitchOperations switches;
  private final TimeSource time;

  KillSwitchRoutes(KillSwitchOperations switches, TimeSource time) {
    this.switches = switches;
    this.time = time;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/killswitch", "getKillSwitch", VIEWER, this::show).withoutDatabase(),
        ApiRoute.put("/killswitch", "setKillSwitch", ADMIN, this::on).withoutDatabase(),
        ApiRoute.delete("/killswitch", "clearKillSwitch", ADMIN, this::off).withoutDatabase());
  }

  private ApiResponse show(ApiRequest request) {
    return ApiResponse.ok(json(switches.active()));
  }

  private ApiResponse on(ApiRequest request) {
    Instant now = Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
    Instant until =
        now.plus(Moments.duration("for", request.text("for").orElse(USUAL)))
            .truncatedTo(ChronoUnit.MILLIS);
    return changed(switches.on(scope(request), until, request.origin()));
  }

  private ApiResponse off(ApiRequest request) {
    return changed(switches.off(scope(request), request.origin()));
  }

  private static String scope(ApiRequest request) {
    Optional<String> rule = request.text("rule");
    Optional<String> tenant = request.text("tenant");
    if (rule.isPresent() && tenant.isPresent()) {
      throw ApiProblemException.badField("tenant", "rule and tenant exclude each other");
    }
    return rule.map(id -> "rule/" + id).or(() -> tenant.map(id -> "tenant/" + id)).orElse(ALL);
  }

  private static ApiResponse changed(KillSwitchOperations.Result result) {
    return ApiResponse.ok(
        json(result.active())
            .put("reached", ApiJson.list(result.reached(), ApiJson::word))
            .put(
                "unreached",
                ApiJson.list(
                    result.unreached(),
                    it ->
                        new JsonObject()
                            .put("road", ApiJson.word(it.road()))
                            .put("reason", it.reason()))));
  }

  private static JsonObject json(List<Active> active) {
    Optional<Active> widest =
        active.stream()
            .max(
                Comparator.comparing((Active it) -> it.scope().equals(ALL))
                    .thenComparing(Active::until));
    return new JsonObject()
        .put("on", widest.isPresent())
        .put("scope", widest.map(Active::scope).orElse(null))
        .put("until", ApiJson.time(widest.map(Active::until)))
        .put("items", ApiJson.list(active, KillSwitchRoutes::json));
  }

  private static JsonObject json(Active it) {
    return new JsonObject()
        .put("scope", it.scope())
        .put("road", ApiJson.word(it.road()))
        .put("until", it.until().toString())
        .put("by", it.by())
        .put("message", it.message());
  }
}
