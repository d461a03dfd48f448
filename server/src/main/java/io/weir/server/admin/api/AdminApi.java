package io.weir.server.admin.api;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.openapi.validation.ValidatorException;
import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseUnavailableException;
import io.weir.engine.Engine;
import io.weir.server.admin.AdminAuth;
import io.weir.server.admin.AdminIdentity;
import io.weir.server.config.AdminRole;
import io.weir.server.control.ControlServices;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.Route;
import io.weir.server.http.RouteTable;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The routes under {@code /admin/v1} that {@code openapi.yaml} describes.
 *
 * <p>A request passes the access check and the role of its route before its body is read. The
 * contract then checks it, the database is waited for, and its work runs on a worker thread: no
 * event loop waits for the database, as decisions share the loops.
 */
public final class AdminApi implements RouteTable {
  /** How long a request waits for the database to open. */
  static final Duration DATABASE_WAIT = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Optional<ControlServices> services;
  private final AdminAuth auth;
  private final ApiContract contract;
  private final Map<ApiRoute, Route> routes = new LinkedHashMap<>();

  /**
   * The API of a server.
   *
   * @param services empty for a server without a control plane, which then only serves the contract
   */
  public static AdminApi of(
      Vertx vertx,
      Optional<ControlServices> services,
      AdminAuth auth,
      Engine engine,
      TimeSource time) {
    List<ApiRoutes> parts =
        services.map(it -> parts(it, auth.isAdminConfigured(), engine, time)).orElse(List.of());
    return new AdminApi(vertx, services, auth, parts);
  }

  /** Everything but the contract itself. */
  static List<ApiRoutes> parts(
      ControlServices services, boolean adminConfigured, Engine engine, TimeSource time) {
    List<ApiRoutes> parts = new ArrayList<>();
    parts.add(new VersionRoutes(services.rules()));
    parts.add(new RolloutRoutes(services.rules()));
    parts.add(new TenantRoutes());
    parts.add(new OverrideRoutes(engine::rules));
    parts.add(new BlockRoutes(engine::rules));
    services.keys().ifPresent(keys -> parts.add(new KeyRoutes(keys, engine::rules)));
    parts.add(new ExplainRoutes(engine));
    services.traffic().ifPresent(it -> parts.add(new TrafficRoutes(it)));
    parts.add(new TokenRoutes(adminConfigured));
    parts.add(new KillSwitchRoutes(services.killSwitch(), time));
    parts.add(new AuditRoutes(services.status()));
    parts.add(new StatusRoutes(services.status(), services.killSwitch()));
    return parts;
  }

  private AdminApi(
      Vertx vertx, Optional<ControlServices> services, AdminAuth auth, List<ApiRoutes> parts) {
    this.vertx = vertx;
    this.services = services;
    this.auth = auth;
    this.contract = new ApiContract(vertx);
    List<ApiRoute> all = new ArrayList<>();
    all.add(
        ApiRoute.get("/openapi.yaml", "getContract", AdminRole.VIEWER, this::serveContract)
            .withoutDatabase());
    parts.forEach(part -> all.addAll(part.routes()));
    for (ApiRoute route : all) {
      routes.put(
          route,
          new Route(
              route.method(),
              (exchange, body) -> answer(route, exchange, body),
              false,
              route.maxBody(),
              allow(all, route.template())));
    }
  }

  private static String allow(List<ApiRoute> all, String template) {
    return all.stream()
        .filter(route -> route.template().equals(template))
        .map(route -> route.method() == HttpMethod.GET ? "GET, HEAD" : route.method().name())
        .collect(Collectors.joining(", "));
  }

  /** Reads the contract in the background, so that the first request need not wait for it. */
  public void warmUp() {
    contract.load();
  }

  /** Runs a task that may block. */
  public void execute(Runnable task) {
    vertx.executeBlocking(
        () -> {
          task.run();
          return true;
        },
        false);
  }

  @Override
  public @Nullable Route find(String path, HttpMethod method) {
    if (!path.startsWith(ApiRoute.PREFIX)) {
      return null;
    }
    Route other = null;
    for (Map.Entry<ApiRoute, Route> each : routes.entrySet()) {
      if (each.getKey().match(path).isPresent()) {
        if (each.getKey().accepts(method)) {
          return each.getValue();
        }
        other = other == null ? each.getValue() : other;
      }
    }
    return other;
  }

  /** Why the role of an authenticated request is too low; empty if it is not. */
  public Optional<HttpProblemException> roleRefusal(HttpServerRequest request) {
    String path = request.path();
    return routes.keySet().stream()
        .filter(route -> path != null && route.match(path).isPresent())
        .filter(route -> route.accepts(request.method()))
        .map(ApiRoute::role)
        .filter(needed -> auth.identity(request).stream().noneMatch(it -> it.role().covers(needed)))
        .map(
            needed ->
                HttpProblemException.forbidden(
                    "this needs a token with the role " + needed.name().toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  private void answer(ApiRoute route, HttpExchange exchange, byte[] body) {
    AdminIdentity caller = auth.identity(exchange.request()).orElseThrow();
    IncomingRequest incoming = IncomingRequest.of(route, exchange.request(), body);
    exchange.whenDone(
        run(route, incoming, caller).otherwise(AdminApi::problem).toCompletionStage(),
        response -> send(exchange, response, incoming.correlation()));
  }

  private Future<ApiResponse> run(ApiRoute route, IncomingRequest incoming, AdminIdentity caller) {
    return vertx
        .executeBlocking(incoming::validatable, false)
        .compose(validatable -> contract.validate(validatable, route.operation()))
        .compose(
            valid ->
                database(route)
                    .compose(
                        database ->
                            vertx.executeBlocking(
                                () ->
                                    route.work().answer(incoming.request(valid, caller, database)),
                                false)));
  }

  private Future<Optional<ControlStores>> database(ApiRoute route) {
    return route.waits()
        ? Future.fromCompletionStage(services.orElseThrow().database().within(DATABASE_WAIT))
            .map(Optional::of)
        : Future.succeededFuture(services.flatMap(it -> it.database().get()));
  }

  /** The answer to a request that is refused; an unexpected failure goes on. */
  private static ApiResponse problem(Throwable failure) {
    if (failure instanceof ApiProblemException problem) {
      return problem.response();
    }
    if (failure instanceof ValidatorException violation) {
      return ContractViolation.of(violation).response();
    }
    if (failure instanceof DatabaseUnavailableException unavailable) {
      return ApiProblemException.unavailable(
              "the control database is unavailable: " + unavailable.getMessage())
          .response();
    }
    if (failure instanceof RuntimeException unexpected) {
      throw unexpected;
    }
    throw new IllegalStateException(failure);
  }

  private static void send(HttpExchange exchange, ApiResponse response, String correlation) {
    var headers = exchange.request().response().headers();
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-request-id", correlation);
    response.headers().forEach(headers::set);
    exchange.answer(response.status(), response.type(), Buffer.buffer(response.body()));
  }

  private ApiResponse serveContract(ApiRequest request) {
    return new ApiResponse(200, "application/yaml", contract.text(), Map.of());
  }
}
