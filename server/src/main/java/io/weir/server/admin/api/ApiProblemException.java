package io.weir.server.admin.api;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** A request that is refused with a problem body (RFC 9457) that has members of its own. */
final class ApiProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient JsonObject body;

  private ApiProblemException(int status, String title, String detail) {
    super(detail, null, false, false);
    this.status = status;
    this.body =
        new JsonObject()
            .put("type", "about:blank")
            .put("title", title)
            .put("status", status)
            .put("detail", detail);
  }

  /** A field is unknown, missing or wrong. */
  static ApiProblemException badField(String field, String detail) {
    return new ApiProblemException(400, "Bad Request", detail).with("field", field);
  }

  static ApiProblemException notFound(String detail) {
    return new ApiProblemException(404, "Not Found", detail);
  }

  /** The request contradicts the present state. */
  static ApiProblemException conflict(String code, String detail) {
    return new ApiProblemException(409, "Conflict", detail).with("code", code);
  }

  /** The request is well formed, but its content is refused. */
  static ApiProblemException refused(String code, String detail) {
    return new ApiProblemException(422, "Unprocessable Content", detail).with("code", code);
  }

  /** The request must name the version that it is based on. */
  static ApiProblemException needsIfMatch() {
    return new ApiProblemException(
            428,
            "Precondition Required",
            "If-Match must name the newest version that you have seen, such as \"7\"; \"0\" for the"
                + " first")
        .with("field", "If-Match");
  }

  /** The database cannot be used. */
  static ApiProblemException unavailable(String detail) {
    return new ApiProblemException(503, "Service Unavailable", detail)
        .with("reason", "unavailable");
  }

  /** Adds a member to the body. */
  ApiProblemException with(String name, Object value) {
    body.put(name, value);
    return this;
  }

  ApiResponse response() {
    Map<String, String> headers = status == 503 ? Map.of("retry-after", "5") : Map.of();
    return new ApiResponse(status, ApiResponse.PROBLEM, body.encode(), headers);
  }
}
