package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who may come in: asked before a request reaches what it is for. */
@FunctionalInterface
public interface AccessCheck {
  /**
   * Why a request goes no further; empty if it may.
   *
   * @param route what it is for; null if there is nothing at its path
   */
  Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route);
}
