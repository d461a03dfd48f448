package io.weir.server.admin.api;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** An answer of the admin API. */
record ApiResponse(int status, String type, String body, Map<String, String> headers) {
  static final String PROBLEM = "application/problem+json";

  /** 200 with JSON. */
  static ApiResponse ok(JsonObject body) {
    return new ApiResponse(200, "application/json", body.encode(), Map.of());
  }

  /** The same, with the version for {@code If-Match}. */
  ApiResponse version(long version) {
    return new ApiResponse(status, type, body, Map.of("etag", '"' + Long.toString(version) + '"'));
  }
}
