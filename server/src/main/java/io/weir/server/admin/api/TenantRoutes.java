package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.control.store.Tenant;
import io.weir.control.store.TenantStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tenants of the database. */
final class TenantRoutes implements ApiRoutes {
  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/tenants", "listTenants", VIEWER, this::list),
        ApiRoute.post("/tenants/bulk", "importTenants", ADMIN, this::importAll)
            .maxBody(ApiRoute.MAX_IMPORT)
            .bodyType("text/csv"),
        ApiRoute.get("/tenants/{tenant}", "getTenant", VIEWER, this::get),
        ApiRoute.put("/tenants/{tenant}", "putTenant", ADMIN, this::put),
        ApiRoute.delete("/tenants/{tenant}", "removeTenant", ADMIN, this::remove));
  }

  private ApiResponse list(ApiRequest request) {
    int size = request.pageSize();
    List<Tenant> found =
        request.stores().tenants().list(request.text("cursor").orElse(""), size + 1);
    return ApiResponse.ok(ApiJson.page(found, size, TenantRoutes::json, Tenant::id));
  }

  private ApiResponse get(ApiRequest request) {
    return ApiResponse.ok(
        request
            .stores()
            .tenants()
            .find(request.required("tenant"))
            .map(TenantRoutes::json)
            .orElseThrow(TenantRoutes::unknown));
  }

  private ApiResponse put(ApiRequest request) {
    SortedMap<String, String> numbers = new TreeMap<>();
    for (String name : TenantNumbers.NAMES) {
      request.text(name).ifPresent(text -> numbers.put(name, text));
    }
    Optional<String> wrong = new TenantNumbers().problem(numbers);
    if (wrong.isPresent()) {
      String field = numbers.size() == 1 ? numbers.firstKey() : "";
      throw ApiProblemException.badField(field, wrong.get());
    }
    Tenant next = new Tenant(request.required("tenant"), request.required("tier"), numbers);
    TenantStore store = request.stores().tenants();
    if (!store.find(next.id()).equals(Optional.of(next))) {
      store.put(List.of(next), request.origin());
    }
    return ApiResponse.ok(json(next));
  }

  private ApiResponse remove(ApiRequest request) {
    if (!request.stores().tenants().remove(request.required("tenant"), request.origin())) {
      throw unknown();
    }
    return ApiResponse.ok(new JsonObject().put("removed", true));
  }

  /** Only rows that differ are written, so that an import says what it changed. */
  private ApiResponse importAll(ApiRequest request) {
    Map<String, Tenant> given = TenantCsv.read(request.text());
    Map<String, Tenant> known = new HashMap<>();
    request
        .stores()
        .database()
        .read(
            sql -> {
              TenantStore.all(
                  sql,
                  row -> {
                    if (given.containsKey(row.tenant().id())) {
                      known.put(row.tenant().id(), row.tenant());
                    }
                  });
              return known.size();
            });
    List<Tenant> changed = new ArrayList<>();
    given.forEach(
        (id, tenant) -> {
          if (!tenant.equals(known.get(id))) {
            changed.add(tenant);
          }
        });
    boolean dryRun = request.flag("dry_run");
    if (!dryRun) {
      request.stores().tenants().put(changed, request.origin());
    }
    int added = given.size() - known.size();
    return ApiResponse.ok(
        new JsonObject()
            .put("tenants", given.size())
            .put("added", added)
            .put("changed", changed.size() - added)
            .put("unchanged", given.size() - changed.size())
            .put("imported", !dryRun));
  }

  private static ApiProblemException unknown() {
    return ApiProblemException.notFound("the database has no tenant with this id");
  }

  private static JsonObject json(Tenant it) {
    JsonObject json = new JsonObject().put("id", it.id()).put("tier", it.tier());
    it.numbers().forEach((name, text) -> json.put(name, TenantNumbers.value(name, text)));
    return json;
  }
}
