package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Call;
import io.weir.Explanation;
import io.weir.control.text.Digest;
import io.weir.engine.Engine;
import io.weir.server.check.CallReader;
import io.weir.server.check.ExplanationWriter;
import io.weir.server.http.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Explains the decision that a call would get, with the overrides, blocks, signals and kill
 * switches that lead to it.
 */
final class ExplainRoutes implements ApiRoutes {
  private static final int SHOWN_DIGITS = 32;

  private final Engine engine;

  ExplainRoutes(Engine engine) {
    this.engine = engine;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.post("/explain", "explainCall", VIEWER, this::explain).withoutDatabase());
  }

  private ApiResponse explain(ApiRequest request) {
    Call call = CallReader.read(request.body().encode().getBytes(StandardCharsets.UTF_8));
    Explanation explanation = StoreAnswers.await(engine.explainForOperatorsAsync(call));
    JsonWriter out = new JsonWriter();
    ExplanationWriter.write(out, call, explanation);
    JsonObject json = new JsonObject(out.toString());
    if (!request.seesKeys()) {
      hashKeys(json.getJsonArray("rules"));
      hashKeys(json.getJsonArray("limits"));
    }
    return ApiResponse.ok(json);
  }

  /** Keys that a rule takes from the connection or the tenant are not in the question. */
  private static void hashKeys(JsonArray entries) {
    for (Object each : entries) {
      JsonObject entry = (JsonObject) each;
      String key = entry.getString("key");
      if (key != null) {
        String hash = new Digest().add(key).hex().substring(0, SHOWN_DIGITS);
        entry.put("key", "sha256:" + hash);
      }
    }
  }
}
