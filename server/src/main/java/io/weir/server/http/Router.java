package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Optional;

/** Brings each request to its route, and answers those that have none. */
public final class Router implements Handler<HttpServerRequest> {
  private static final byte[] NO_BODY = {};

  private final LoopContext loop;
  private final Map<String, Route> routes;
  private final AccessCheck door;

  /** Routes by their exact path, for those who may ask. */
  public Router(LoopContext loop, Map<String, Route> routes, AccessCheck door) {
    this.loop = loop;
    this.routes = routes;
    this.door = door;
  }

  /**
   * Whether a page from elsewhere may have a browser send this without being asked first: it does
   * so with an {@code Origin}, and with some types, but not with that of JSON.
   */
  private static boolean isOfAnotherPage(HttpServerRequest request) {
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
    Route route = path == null ? null : routes.get(path);
    Optional<HttpProblemException> refusal = door.refusal(request, route);
    if (refusal.isPresent()) {
      exchange.problem(refusal.get());
    } else if (route == null) {
      exchange.problem(HttpProblemException.notFound("there is nothing at this path"));
    } else if (!route.takes(request.method())) {
      request.response().putHeader(HttpHeaders.ALLOW, route.allow());
      exchange.problem(HttpProblemException.methodNotAllowed("this path takes " + route.allow()));
    } else if (route.hasBody() && isOfAnotherPage(request)) {
      exchange.problem(
          HttpProblemException.unsupported(
              "a request with an Origin needs the type application/json"));
    } else if (route.hasBody()) {
      BodyReader.read(exchange, route.endpoint(), loop.connections());
    } else {
      exchange.answerWith(route.endpoint(), NO_BODY);
    }
  }
}
