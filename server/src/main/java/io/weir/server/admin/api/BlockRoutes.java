package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.OPERATOR;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.control.store.Block;
import io.weir.control.store.BlockStore;
import io.weir.control.store.KeyRef;
import io.weir.rule.RuleSet;
import io.weir.server.http.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Blocks by operators and signals by outside systems. */
final class BlockRoutes implements ApiRoutes {
  private static final Duration MAX_TTL = Duration.ofHours(24);

  private final Supplier<RuleSet> rules;

  /**
   * @param rules the rules in force
   */
  BlockRoutes(Supplier<RuleSet> rules) {
    this.rules = rules;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/blocks", "listBlocks", VIEWER, this::list),
        ApiRoute.put("/blocks", "setBlock", OPERATOR, this::block),
        ApiRoute.delete("/blocks", "liftBlock", OPERATOR, this::lift).maxBody(Route.MAX_BODY),
        ApiRoute.post("/signals", "sendSignal", OPERATOR, this::signal));
  }

  private ApiResponse list(ApiRequest request) {
    int size = request.pageSize();
    List<Block> found =
        request.stores().blocks().list(request.numericCursor(0), size + 1, request.flag("all"));
    return ApiResponse.ok(
        ApiJson.page(found, size, it -> json(it, request), it -> Long.toString(it.id())));
  }

  private ApiResponse block(ApiRequest request) {
    Optional<String> rule = rule(request);
    Instant now = request.stores().database().now();
    Instant until = Moments.instant("until", request.required("until"), now);
    if (!until.isAfter(now)) {
      throw ApiProblemException.badField("until", "until must be in the future");
    }
    Block block =
        request
            .stores()
            .blocks()
            .block(rule, KeyText.typed(request.key()), until, request.origin());
    return ApiResponse.ok(json(block, request));
  }

  private ApiResponse lift(ApiRequest request) {
    boolean signal = request.text("kind").orElse("block").equals("signal");
    KeyRef key = KeyRef.of(request.key());
    BlockStore store = request.stores().blocks();
    Optional<Block> lifted =
        signal
            ? store.clearSignal(request.text("rule"), key, request.origin())
            : store.unblock(request.text("rule"), key, request.origin());
    return lifted
        .map(it -> json(it, request).put("live", false))
        .map(ApiResponse::ok)
        .orElseThrow(
            () ->
                ApiProblemException.notFound(
                    "this key has no " + (signal ? "signal" : "block") + " there"));
  }

  private ApiResponse signal(ApiRequest request) {
    Optional<String> rule = rule(request);
    Duration ttl = Moments.duration("ttl", request.required("ttl"));
    if (ttl.compareTo(MAX_TTL) > 0) {
      throw ApiProblemException.badField("ttl", "ttl must be at most 24h");
    }
    Block.Effect effect =
        switch (request.number("severity").orElseThrow().intValue()) {
          case 1 -> Block.Effect.HALF;
          case 2 -> Block.Effect.TENTH;
          default -> Block.Effect.REFUSE;
        };
    Block block =
        request
            .stores()
            .blocks()
            .signal(
                rule,
                KeyRef.of(request.key()),
                effect,
                request.stores().database().now().plus(ttl),
                request.required("source"),
                request.origin());
    return ApiResponse.ok(json(block, request));
  }

  private Optional<String> rule(ApiRequest request) {
    Optional<String> rule = request.text("rule");
    KeyText.requireRule(rules.get(), rule, request.key());
    return rule;
  }

  private static JsonObject json(Block it, ApiRequest request) {
    return new JsonObject()
        .put("id", it.id())
        .put("kind", it.kind() == Block.Kind.OPERATOR ? "block" : "signal")
        .put("rule", it.rule().orElse(null))
        .put("key", KeyText.shown(it.key(), request.seesKeys()))
        .put("key_hash", it.key().hash())
        .put("effect", ApiJson.word(it.effect()))
        .put("until", it.until().toString())
        .put("source", it.source())
        .put("created", it.created().toString())
        .put("author", it.author())
        .put("message", it.reason())
        .put("live", it.live());
  }
}
