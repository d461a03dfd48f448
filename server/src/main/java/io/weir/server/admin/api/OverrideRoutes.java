package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.OPERATOR;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.Limit;
import io.weir.control.store.Adjustment;
import io.weir.control.store.KeyOverride;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Overrides: another limit for one key of one rule, until a time. */
final class OverrideRoutes implements ApiRoutes {
  private final Supplier<RuleSet> rules;

  /**
   * @param rules the rules in force
   */
  OverrideRoutes(Supplier<RuleSet> rules) {
    this.rules = rules;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/overrides", "listOverrides", VIEWER, this::list),
        ApiRoute.put("/overrides", "setOverride", OPERATOR, this::set),
        ApiRoute.delete("/overrides/{id}", "endOverride", OPERATOR, this::end));
  }

  private ApiResponse list(ApiRequest request) {
    int size = request.pageSize();
    List<KeyOverride> found =
        request.stores().overrides().list(request.numericCursor(0), size + 1, request.flag("all"));
    return ApiResponse.ok(
        ApiJson.page(found, size, it -> json(it, request), it -> Long.toString(it.id())));
  }

  private ApiResponse set(ApiRequest request) {
    List<String> values = request.key();
    Rule rule = KeyText.requireRule(rules.get(), request.required("rule"), values);
    Adjustment adjustment = adjustment(request, rule);
    Instant now = request.stores().database().now();
    Instant starts =
        request.text("starts").map(text -> Moments.instant("starts", text, now)).orElse(now);
    Instant expires = Moments.instant("expires", request.required("expires"), now);
    if (!expires.isAfter(starts) || !expires.isAfter(now)) {
      throw ApiProblemException.badField(
          "expires", "expires must be after the start and the present");
    }
    KeyOverride override =
        request
            .stores()
            .overrides()
            .set(rule.id(), KeyText.typed(values), adjustment, starts, expires, request.origin());
    return ApiResponse.ok(json(override, request));
  }

  private static Adjustment adjustment(ApiRequest request, Rule rule) {
    long stated =
        Stream.of("limit", "factor", "unlimited").filter(request.body()::containsKey).count();
    if (stated != 1) {
      throw ApiProblemException.badField(
          "limit", "exactly one of limit, factor and unlimited is required");
    }
    if (request.body().containsKey("name") && !request.body().containsKey("limit")) {
      throw ApiProblemException.badField("name", "name belongs to limit");
    }
    if (request.flag("unlimited")) {
      return new Adjustment.Unlimited();
    }
    return request
        .number("factor")
        .<Adjustment>map(factor -> new Adjustment.Factor(factor.doubleValue()))
        .orElseGet(() -> limit(request, rule));
  }

  private static Adjustment limit(ApiRequest request, Rule rule) {
    String text = request.required("limit");
    try {
      Limit.parse(text);
    } catch (IllegalArgumentException e) {
      throw ApiProblemException.badField("limit", "limit: " + e.getMessage());
    }
    String name = request.text("name").orElse("");
    if (rule.limits() instanceof RuleLimits.Listed listed) {
      List<String> names =
          IntStream.range(0, listed.limits().size()).mapToObj(listed::slot).toList();
      if (name.isEmpty() ? names.size() > 1 : !names.contains(name)) {
        throw ApiProblemException.badField(
            "name", "name must be a limit of the rule '" + rule.id() + "': " + names);
      }
    }
    return new Adjustment.Limit(name, text);
  }

  private ApiResponse end(ApiRequest request) {
    return ApiResponse.ok(
        request
            .stores()
            .overrides()
            .end(request.id(), request.origin())
            .flatMap(it -> request.stores().overrides().find(it.id()))
            .map(it -> json(it, request))
            .orElseThrow(() -> ApiProblemException.notFound("no live override has this id")));
  }

  private static JsonObject json(KeyOverride it, ApiRequest request) {
    JsonObject json =
        new JsonObject()
            .put("id", it.id())
            .put("rule", it.rule())
            .put("key", KeyText.shown(it.key(), request.seesKeys()))
            .put("key_hash", it.key().hash())
            .put("name", "")
            .put("limit", null)
            .put("factor", null)
            .put("unlimited", it.adjustment() instanceof Adjustment.Unlimited);
    if (it.adjustment() instanceof Adjustment.Limit limit) {
      json.put("name", limit.name()).put("limit", limit.text());
    } else if (it.adjustment() instanceof Adjustment.Factor factor) {
      json.put("factor", factor.factor());
    }
    return json.put("starts", it.starts().toString())
        .put("expires", it.expires().toString())
        .put("created", it.created().toString())
        .put("author", it.author())
        .put("message", it.reason())
        .put("last_used", ApiJson.time(it.lastUsed()))
        .put("live", it.live());
  }
}
