package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.OPERATOR;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import io.weir.server.control.TrafficOperations;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Questions to recorded traffic: what other rules would do, and which limit fits. */
final class TrafficRoutes implements ApiRoutes {
  private final TrafficOperations traffic;

  TrafficRoutes(TrafficOperations traffic) {
    this.traffic = traffic;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.post("/whatif", "askWhatIf", OPERATOR, this::whatIf).maxBody(ApiRoute.MAX_RULES),
        ApiRoute.post("/suggest", "suggestLimit", VIEWER, this::suggest));
  }

  private ApiResponse whatIf(ApiRequest request) {
    SortedMap<String, String> files = new TreeMap<>();
    request
        .body()
        .getJsonObject("files")
        .forEach(it -> files.put(it.getKey(), (String) it.getValue()));
    LoadResult<RuleSet> loaded = RuleDocuments.parse(files, AttributeSource.ANY);
    RuleSet candidate =
        loaded
            .value()
            .orElseThrow(
                () ->
                    ApiProblemException.refused("invalid", "the rules are invalid")
                        .with("problems", ApiJson.list(loaded.problems(), ApiJson::problem)));
    return answer(traffic.whatIf(candidate));
  }

  private ApiResponse suggest(ApiRequest request) {
    Optional<String> rule = request.text("rule");
    Optional<String> dimension = request.text("dimension");
    if (rule.isPresent() == dimension.isPresent()) {
      throw ApiProblemException.badField("rule", "exactly one of rule and dimension is required");
    }
    try {
      return answer(
          rule.isPresent()
              ? traffic.suggestForRule(rule.get())
              : traffic.suggestForKey(List.of(dimension.orElseThrow())));
    } catch (IllegalArgumentException e) {
      throw ApiProblemException.badField("rule", String.valueOf(e.getMessage()));
    }
  }

  private static ApiResponse answer(Optional<String> json) {
    JsonObject body = json.map(JsonObject::new).orElseGet(JsonObject::new);
    return ApiResponse.ok(body.put("recorded", json.isPresent()));
  }
}
