package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Access control of a listener, evaluated before a request reaches its route. */
@FunctionalInterface
public interface AccessCheck {
  /**
   * Why a request is refused; empty if it is allowed.
   *
   * @param route its route; null if there is none at its path
   */
  Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route);
}
