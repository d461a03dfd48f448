package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Optional;

/** Dispatches each request to its route, and answers requests without one. */
public final class Router implements Handler<HttpServerRequest> {
  private static final byte[] NO_BODY = {};

  private final LoopContext loop;
  private final RouteTable routes;
  private final AccessCheck access;

  /** Routes by exact path, behind an access check. */
  public Router(LoopContext loop, Map<String, Route> routes, AccessCheck access) {
    this(loop, RouteTable.of(routes), access);
  }

  /** Routes of a table, behind an access check. */
  public Router(LoopContext loop, RouteTable routes, AccessCheck access) {
    this.loop = loop;
    this.routes = routes;
    this.access = access;
  }

  /**
   * Whether this may be a cross-site request that a browser sends without a CORS preflight. Such a
   * request has an {@code Origin}, and a media type other than JSON.
   */
  private static boolean mayBeCrossSite(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.ORIGIN) && !isJson(request);
  }

  private static boolean isJson(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (type == null) {
      return false;
    }
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().equalsIgnoreCase("application/json");
  }

  @Override
  public void handle(HttpServerRequest request) {
    HttpExchange exchange = new HttpExchange(request, loop);
    String path = request.path();
    Route route = path == null ? null : routes.find(path, request.method());
    Optional<HttpProblemException> refusal = access.refusal(request, route);
    if (refusal.isPresent()) {
      exchange.problem(refusal.get());
    } else if (route == null) {
      exchange.problem(HttpProblemException.notFound("no such path"));
    } else if (!route.accepts(request.method())) {
      request.response().putHeader(HttpHeaders.ALLOW, route.allow());
      exchange.problem(HttpProblemException.methodNotAllowed("this path accepts " + route.allow()));
    } else if (route.hasBody() && mayBeCrossSite(request)) {
      exchange.problem(
          HttpProblemException.unsupported(
              "a request with an Origin header needs the media type application/json"));
    } else if (route.hasBody()) {
      BodyReader.read(exchange, route, loop.connections());
    } else {
      exchange.answerWith(route.endpoint(), NO_BODY);
    }
  }
}
