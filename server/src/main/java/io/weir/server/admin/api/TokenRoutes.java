package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;

import io.vertx.core.json.JsonObject;
import io.weir.control.store.Role;
import io.weir.control.store.Token;
import io.weir.control.store.TokenStore;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Stored tokens of this API. */
final class TokenRoutes implements ApiRoutes {
  private final boolean adminConfigured;

  /**
   * @param adminConfigured whether an admin token is configured outside of the database
   */
  TokenRoutes(boolean adminConfigured) {
    this.adminConfigured = adminConfigured;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/tokens", "listTokens", ADMIN, this::list),
        ApiRoute.post("/tokens", "createToken", ADMIN, this::create),
        ApiRoute.delete("/tokens/{id}", "revokeToken", ADMIN, this::revoke));
  }

  private ApiResponse list(ApiRequest request) {
    return ApiResponse.ok(
        new JsonObject()
            .put("items", ApiJson.list(request.stores().tokens().list(), TokenRoutes::json)));
  }

  private ApiResponse create(ApiRequest request) {
    Role role = Role.valueOf(request.required("role").toUpperCase(Locale.ROOT));
    Instant now = request.stores().database().now();
    Optional<Instant> expires =
        request.text("expires").map(text -> Moments.instant("expires", text, now));
    if (expires.isPresent() && !expires.get().isAfter(now)) {
      throw ApiProblemException.badField("expires", "expires must be in the future");
    }
    TokenStore.Created created =
        request
            .stores()
            .tokens()
            .create(role, request.required("label"), expires, request.origin());
    return ApiResponse.ok(json(created.token()).put("token", created.text()));
  }

  private ApiResponse revoke(ApiRequest request) {
    TokenStore.Revocation result =
        request.stores().tokens().revoke(request.id(), adminConfigured, request.origin());
    return switch (result) {
      case REVOKED -> ApiResponse.ok(new JsonObject().put("removed", true));
      case UNKNOWN -> throw ApiProblemException.notFound("no good token has this id");
      case LAST_ADMIN ->
          throw ApiProblemException.conflict(
              "last_admin",
              "this is the last admin token; create another, or configure one in admin.tokens");
    };
  }

  private static JsonObject json(Token it) {
    return new JsonObject()
        .put("id", it.id())
        .put("role", ApiJson.word(it.role()))
        .put("label", it.label())
        .put("expires", ApiJson.time(it.expires()))
        .put("last_used", ApiJson.time(it.lastUsed()))
        .put("created", it.created().toString())
        .put("author", it.author())
        .put("revoked", it.revoked());
  }
}
