package io.weir.server.admin.api;

import io.vertx.core.http.HttpMethod;
import io.weir.server.config.AdminRole;
import io.weir.server.http.Route;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One operation of the contract.
 *
 * @param template the path below {@code /admin/v1}, with {@code {names}} for parameters
 * @param operation its id in the contract
 * @param role the least role that may ask
 * @param maxBody the largest body in bytes; 0 for none
 * @param bodyType the media type as which the body is read, whatever the request states
 * @param waits whether it waits for the database
 */
record ApiRoute(
    HttpMethod method,
    String template,
    String operation,
    AdminRole role,
    int maxBody,
    String bodyType,
    boolean waits,
    Work work) {
  static final String PREFIX = "/admin/v1";

  static final String JSON = "application/json";

  /** The largest body of a publish. */
  static final int MAX_RULES = 8 << 20;

  /** The largest body of an import of tenants: a million rows. */
  static final int MAX_IMPORT = 64 << 20;

  /** Answers a request on a worker thread, where it may block. */
  @FunctionalInterface
  interface Work {
    ApiResponse answer(ApiRequest request);
  }

  static ApiRoute get(String template, String operation, AdminRole role, Work work) {
    return new ApiRoute(HttpMethod.GET, template, operation, role, 0, JSON, true, work);
  }

  static ApiRoute put(String template, String operation, AdminRole role, Work work) {
    return new ApiRoute(
        HttpMethod.PUT, template, operation, role, Route.MAX_BODY, JSON, true, work);
  }

  static ApiRoute post(String template, String operation, AdminRole role, Work work) {
    return new ApiRoute(
        HttpMethod.POST, template, operation, role, Route.MAX_BODY, JSON, true, work);
  }

  static ApiRoute delete(String template, String operation, AdminRole role, Work work) {
    return new ApiRoute(HttpMethod.DELETE, template, operation, role, 0, JSON, true, work);
  }

  /** The same operation with another largest body. */
  ApiRoute maxBody(int bytes) {
    return new ApiRoute(method, template, operation, role, bytes, bodyType, waits, work);
  }

  /** The same operation, for a body of this media type. */
  ApiRoute bodyType(String type) {
    return new ApiRoute(method, template, operation, role, maxBody, type, waits, work);
  }

  /** The same operation, answered with the database unavailable too. */
  ApiRoute withoutDatabase() {
    return new ApiRoute(method, template, operation, role, maxBody, bodyType, false, work);
  }

  boolean accepts(HttpMethod asked) {
    return asked == method || (method == HttpMethod.GET && asked == HttpMethod.HEAD);
  }

  /** The parameters of a path; empty if it is not a path of this route. */
  Optional<Map<String, String>> match(String path) {
    List<String> wanted = List.of((PREFIX + template).split("/", -1));
    List<String> given = List.of(path.split("/", -1));
    if (wanted.size() != given.size()) {
      return Optional.empty();
    }
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      String segment = wanted.get(i);
      if (segment.startsWith("{")) {
        parameters.put(segment.substring(1, segment.length() - 1), given.get(i));
      } else if (!segment.equals(given.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(parameters);
  }

  /** A segment of a path, percent-decoded. */
  static String decode(String name, String segment) {
    try {
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ApiProblemException.badField(name, name + " is not percent-encoded");
    }
  }
}
