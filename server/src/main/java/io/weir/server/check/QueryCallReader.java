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
 * A call described by a query: {@code method}, {@code path}, {@code host}, and every other
 * parameter an attribute. What is known of the asker itself, such as its address, counts where it
 * names nothing else.
 */
public final class QueryCallReader {
  private QueryCallReader() {}

  /**
   * The call that a query describes.
   *
   * @param asker the call that the request itself makes
   */
  static Call of(HttpServerRequest request, Call asker) {
    MultiMap parameters = parameters(request);
    Set<String> seen = new HashSet<>();
    Call call =
        Call.of(otherwise(parameters.get("method"), "GET"), path(parameters))
            .host(otherwise(parameters.get("host"), ""))
            .with(asker.attributes());
    for (Map.Entry<String, String> parameter : parameters) {
      String name = parameter.getKey();
      if (!seen.add(name)) {
        throw HttpProblemException.badField(name, name + " is there twice");
      }
      if (!name.equals("method") && !name.equals("path") && !name.equals("host")) {
        call = call.with(name, parameter.getValue());
      }
    }
    return call;
  }

  /** What stands in the query. */
  public static MultiMap parameters(HttpServerRequest request) {
    try {
      return request.params();
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badRequest("the query cannot be read: " + e.getMessage());
    }
  }

  private static String path(MultiMap parameters) {
    String path = otherwise(parameters.get("path"), "/");
    if (!path.startsWith("/")) {
      throw HttpProblemException.badField("path", "path must begin with '/'");
    }
    return path;
  }

  private static String otherwise(@Nullable String value, String other) {
    return value == null ? other : value;
  }
}
