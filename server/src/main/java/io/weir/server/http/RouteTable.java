package io.weir.server.http;

import io.vertx.core.http.HttpMethod;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request. */
@FunctionalInterface
public interface RouteTable {
  /**
   * The route at a path; null if there is none. If the path has none for this method, the result is
   * any route of the path.
   */
  @Nullable Route find(String path, HttpMethod method);

  /** Routes by exact path. */
  static RouteTable of(Map<String, Route> routes) {
    return (path, method) -> routes.get(path);
  }
}
