package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseUnavailableException;
import io.weir.control.store.Active;
import io.weir.control.store.Instance;
import io.weir.server.control.KillSwitchOperations;
import io.weir.server.control.StatusOperations;
import io.weir.server.control.StatusOperations.LocalStatus;
import java.time.Duration;
import java.util.List;

/** The state of the fleet; answered with the database unavailable too. */
final class StatusRoutes implements ApiRoutes {
  private static final Duration SHOWN = Duration.ofMinutes(5);

  private final StatusOperations status;
  private final KillSwitchOperations switches;

  StatusRoutes(StatusOperations status, KillSwitchOperations switches) {
    this.status = status;
    this.switches = switches;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(ApiRoute.get("/status", "getStatus", VIEWER, this::show).withoutDatabase());
  }

  private ApiResponse show(ApiRequest request) {
    LocalStatus local = status.local();
    JsonObject body =
        new JsonObject()
            .put("instance", local.instance())
            .put("control", local.unavailable().orElse(null))
            .put("truth", local.truth())
            .put("version", local.version())
            .put("newest", null)
            .put("active", null)
            .put("rollout", null)
            .put("rejected", new JsonArray(local.rejected()))
            .put("warnings", new JsonArray(local.warnings()))
            .put(
                "audit_refused",
                local
                    .auditRefusal()
                    .map(
                        it ->
                            new JsonObject()
                                .put("own", it.own().hash())
                                .put("found", it.found().hash())
                                .put("reason", it.reason()))
                    .orElse(null))
            .put("schema_ahead", local.schemaAhead())
            .put("clock_offset_ms", local.clockOffset().toMillis())
            .put(
                "propagation",
                local
                    .propagation()
                    .map(
                        it ->
                            new JsonObject()
                                .put("changes", it.changes())
                                .put("p50_ms", it.p50().toMillis())
                                .put("p99_ms", it.p99().toMillis()))
                    .orElse(null))
            .put("killswitch", !switches.active().isEmpty())
            .put("instances", new JsonArray());
    try {
      request.database().ifPresent(stores -> addStored(body, stores));
    } catch (DatabaseUnavailableException e) {
      body.put("control", e.getMessage());
    }
    return ApiResponse.ok(body);
  }

  private static void addStored(JsonObject body, ControlStores stores) {
    Active active = stores.rollouts().active();
    long newest = stores.versions().newest();
    List<Instance> instances = stores.instances().seenSince(stores.database().now().minus(SHOWN));
    body.put("newest", newest)
        .put("active", active.version())
        .put("rollout", stores.rollouts().find(active.rollout()).map(ApiJson::rollout).orElse(null))
        .put("instances", ApiJson.list(instances, StatusRoutes::json));
  }

  private static JsonObject json(Instance it) {
    return new JsonObject()
        .put("id", it.id())
        .put("version", it.version())
        .put("applied_at", ApiJson.time(it.appliedAt()))
        .put("rejected", rejected(it.rejected()))
        .put("seq", it.seq())
        .put("clock_offset_ms", it.clockOffset().toMillis())
        .put("last_seen", it.lastSeen().toString());
  }

  /** What an instance reports as JSON, as a list whatever it is. */
  private static JsonArray rejected(String json) {
    Object stored = ApiJson.stored(json);
    if (stored instanceof JsonArray list) {
      return list;
    }
    return stored == null ? new JsonArray() : new JsonArray().add(stored);
  }
}
