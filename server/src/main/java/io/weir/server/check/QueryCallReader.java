package io.weir.server.check;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Call;
import io.weir.server.http.HttpProblemException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a call from a query: {@code method}, {@code path}, {@code host}, and every other parameter
 * as an attribute. Attributes of the request itself, such as its address, apply unless a parameter
 * overrides them.
 */
public final class QueryCallReader {
  private QueryCallReader() {}

  /**
   * The call that a query describes.
   *
   * @param self the call that the request itself makes
   */
  static Call of(HttpServerRequest request, Call self) {
    MultiMap parameters = parameters(request);
    Set<String> seen = new HashSet<>();
    Call call =
        Call.of(orElse(parameters.get("method"), "GET"), path(parameters))
            .host(orElse(parameters.get("host"), ""))
            .with(self.attributes());
    for (Map.Entry<String, String> parameter : parameters) {
      String name = parameter.getKey();
      if (!seen.add(name)) {
        throw HttpProblemException.badField(name, name + " is duplicated");
      }
      if (!name.equals("method") && !name.equals("path") && !name.equals("host")) {
        call = call.with(name, parameter.getValue());
      }
    }
    return call;
  }

  /** The parameters of the query. */
  public static MultiMap parameters(HttpServerRequest request) {
    try {
      return request.params();
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badRequest("the query is invalid: " + e.getMessage());
    }
  }

  private static String path(MultiMap parameters) {
    String path = orElse(parameters.get("path"), "/");
    if (!path.startsWith("/")) {
      throw HttpProblemException.badField("path", "path must begin with '/'");
    }
    return path;
  }

  private static String orElse(@Nullable String value, String other) {
    return value == null ? other : value;
  }
}
