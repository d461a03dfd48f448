package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.OPERATOR;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.control.store.KeyRef;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.control.KeyOperations;
import io.weir.server.control.KeyOperations.KeyId;
import io.weir.server.control.KeyOperations.KeyResult;
import io.weir.server.control.KeyOperations.KeyState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Single keys: their state, a reset, a give-back. */
final class KeyRoutes implements ApiRoutes {
  private final KeyOperations keys;
  private final Supplier<RuleSet> rules;

  /**
   * @param rules the rules in force
   */
  KeyRoutes(KeyOperations keys, Supplier<RuleSet> rules) {
    this.keys = keys;
    this.rules = rules;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/keys", "getKeys", VIEWER, this::look).withoutDatabase(),
        ApiRoute.post("/keys/reset", "resetKey", OPERATOR, this::reset),
        ApiRoute.post("/keys/grant", "grantKey", OPERATOR, this::grant));
  }

  private ApiResponse look(ApiRequest request) {
    List<KeyText.Part> parts = KeyText.parse(request.required("key"));
    List<String> names = parts.stream().map(KeyText.Part::name).toList();
    List<String> values = parts.stream().map(KeyText.Part::value).toList();
    JsonArray items = new JsonArray();
    for (Rule rule : asked(request.text("rule"), names)) {
      KeyId key = new KeyId(rule.id(), values);
      states(StoreAnswers.await(keys.look(key))).forEach(it -> items.add(json(key, it, request)));
    }
    return ApiResponse.ok(new JsonObject().put("items", items));
  }

  /** The rule that is named, or all with exactly these dimensions. */
  private List<Rule> asked(Optional<String> id, List<String> names) {
    List<Rule> found =
        rules.get().rules().stream()
            .filter(rule -> id.map(rule.id()::equals).orElse(true))
            .filter(rule -> rule.key().equals(names))
            .toList();
    if (!found.isEmpty()) {
      return found;
    }
    Optional<Rule> named = id.flatMap(rules.get()::rule);
    if (named.isPresent()) {
      throw ApiProblemException.badField(
          "key", "the key of the rule '" + named.get().id() + "' is " + named.get().key());
    }
    throw ApiProblemException.notFound(
        id.map(it -> "no rule in force has the id '" + it + "'")
            .orElse("no rule in force has the key " + names));
  }

  private ApiResponse reset(ApiRequest request) {
    KeyId key = key(request);
    return after(request, key, keys.reset(key, request.origin()));
  }

  private ApiResponse grant(ApiRequest request) {
    KeyId key = key(request);
    long tokens = request.number("tokens").orElseThrow().longValue();
    return after(request, key, keys.grant(key, tokens, request.origin()));
  }

  private KeyId key(ApiRequest request) {
    Rule rule = KeyText.requireRule(rules.get(), request.required("rule"), request.key());
    return new KeyId(rule.id(), request.key());
  }

  private static ApiResponse after(
      ApiRequest request, KeyId key, CompletionStage<KeyResult> change) {
    return ApiResponse.ok(
        new JsonObject()
            .put(
                "items",
                ApiJson.list(states(StoreAnswers.await(change)), it -> json(key, it, request))));
  }

  private static List<KeyState> states(KeyResult result) {
    if (result instanceof KeyResult.States it) {
      return it.limits();
    }
    if (result instanceof KeyResult.NotApplicable it) {
      throw ApiProblemException.badField("rule", it.reason());
    }
    throw ApiProblemException.notFound("no rule in force has this id");
  }

  private static JsonObject json(KeyId key, KeyState it, ApiRequest request) {
    return new JsonObject()
        .put("rule", key.rule())
        .put("key", request.seesKeys() ? new JsonArray(key.values()) : null)
        .put("key_hash", KeyRef.of(key.values()).hash())
        .put("name", it.name())
        .put("kind", it.kind())
        .put("limit", it.limit().orElse(null))
        .put("remaining", it.remaining())
        .put("reset_ms", it.reset().toMillis())
        .put("override", it.override().orElse(null))
        .put("blocked_until", ApiJson.time(it.blockedUntil()));
  }
}
