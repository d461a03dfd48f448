package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The check API and forward-auth with rules that mark calls or that callers do not see. */
class RuleOptionsApiTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.with(
            "{ id: soft, match: { path: /soft/** }, key: [path], limit: 1/h, on_limit: mark }",
            "{ id: hard, match: { path: /soft/** }, key: [path], limit: 9/h }",
            "{ id: secret, match: { path: /secret/** }, key: [path], limit: 1/h, headers: hidden }",
            "{ id: known, match: { path: /secret/** }, key: [path], limit: 9/h }",
            "{ id: keyed, match: { path: /keyed }, key: [plan], limit: 9/h, headers: hidden, on_missing: deny }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject post(String route, String path) {
    HttpResponse<String> response = server.post(route, "{\"path\":\"" + path + "\"}");
    assertThat(response.statusCode()).isEqualTo(200);
    return new JsonObject(response.body());
  }

  private static HttpResponse<String> authorize(String path) {
    return server.send(
        HttpRequest.newBuilder(server.uri("/v1/authorize"))
            .headers("X-Original-Method", "GET", "X-Original-URI", path));
  }

  private static List<String> limitHeaders(HttpResponse<String> response) {
    return response.headers().map().keySet().stream()
        .filter(name -> name.toLowerCase(java.util.Locale.ROOT).contains("ratelimit"))
        .toList();
  }

  // ---- on_limit: mark

  @Test
  void answersNameTheRulesThatACallIsOver() {
    assertThat(post("/v1/check", "/soft/a").containsKey("over")).isFalse();

    JsonObject over = post("/v1/check", "/soft/a");
    assertThat(over.getBoolean("allowed")).isTrue();
    assertThat(over.getJsonArray("over")).containsExactly("soft");
    assertThat(over.getString("rule")).isEqualTo("hard");
    assertThat(over.getJsonArray("rules").getJsonObject(0).getString("mode")).isEqualTo("mark");
    assertThat(over.getJsonArray("rules").getJsonObject(0).getBoolean("allowed")).isFalse();
    JsonObject reserved = post("/v1/reserve", "/soft/a");
    assertThat(reserved.getJsonArray("over")).containsExactly("soft");
    assertThat(reserved.containsKey("reservation")).isTrue();
    JsonObject batch =
        new JsonObject(
            server
                .post("/v1/check/batch", "{\"calls\":[{\"path\":\"/soft/a\"},{\"path\":\"/b\"}]}")
                .body());
    assertThat(batch.getJsonArray("decisions").getJsonObject(0).getJsonArray("over"))
        .containsExactly("soft");
    assertThat(batch.getJsonArray("decisions").getJsonObject(1).containsKey("over")).isFalse();
    assertThat(post("/v1/explain", "/soft/a").getJsonObject("decision").getJsonArray("over"))
        .containsExactly("soft");
  }

  @Test
  void callsOverAMarkingRuleCountAsShadowDenied() {
    String denied = "weir_decisions_total{outcome=\"shadow_denied\",rule=\"soft\"}";
    double before = server.metric(denied).orElse(0);
    post("/v1/check", "/soft/counted");
    post("/v1/check", "/soft/counted");

    assertThat(server.metric(denied)).hasValue(before + 1);
  }

  @Test
  void forwardAuthAnswersWithTheMark() {
    HttpResponse<String> first = authorize("/soft/auth");
    HttpResponse<String> second = authorize("/soft/auth");

    assertThat(first.headers().firstValue("X-Weir-Over")).isEmpty();
    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(second.headers().firstValue("X-Weir-Over")).hasValue("soft");
    assertThat(second.headers().firstValue("RateLimit-Policy")).hasValue("\"hard\";q=9;w=3600");
  }

  private static HttpResponse<String> envoy(String path) {
    return server.post(
        "/json",
        "{\"domain\":\"weir\",\"descriptors\":[{\"entries\":[{\"key\":\"path\",\"value\":\""
            + path
            + "\"}]}]}");
  }

  @Test
  void envoyAddsTheMarkToTheRequest() {
    assertThat(envoy("/soft/envoy").body()).doesNotContain("requestHeadersToAdd");

    HttpResponse<String> over = envoy("/soft/envoy");
    assertThat(over.statusCode()).isEqualTo(200);
    JsonObject header =
        new JsonObject(over.body()).getJsonArray("requestHeadersToAdd").getJsonObject(0);
    assertThat(header.getString("key")).isEqualTo("x-weir-over");
    assertThat(header.getString("value")).isEqualTo("soft");
  }

  @Test
  void envoyDoesNotSeeHiddenLimits() {
    HttpResponse<String> admitted = envoy("/secret/envoy");
    HttpResponse<String> refused = envoy("/secret/envoy");

    assertThat(admitted.body()).contains("\"known\"").doesNotContain("\"secret\"");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("OVER_LIMIT").doesNotContain("\"secret\"");
    assertThat(refused.body()).doesNotContain("currentLimit");
  }

  // ---- headers: hidden

  @Test
  void headersDescribeTheTightestLimitThatCallersSee() {
    HttpResponse<String> admitted = authorize("/secret/headers");
    HttpResponse<String> refused = authorize("/secret/headers");

    assertThat(admitted.headers().firstValue("RateLimit-Policy")).hasValue("\"known\";q=9;w=3600");
    assertThat(admitted.headers().firstValue("X-RateLimit-Remaining")).hasValue("8");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(limitHeaders(refused)).isEmpty();
    assertThat(Long.parseLong(refused.headers().firstValue("Retry-After").orElseThrow()))
        .isBetween(1L, 3960L); // up to 10% is added where callers share a key
    JsonObject problem = new JsonObject(refused.body());
    assertThat(refused.body()).doesNotContain("secret");
    assertThat(problem.fieldNames())
        .containsExactly(
            "type", "title", "status", "detail", "code", "retry_after_s", "violated-policies");
    assertThat(problem.getString("detail")).startsWith("a limit is reached; try again in ");
    assertThat(problem.getJsonArray("violated-policies")).isEmpty();
  }

  @Test
  void aCallersOwnLimitsLeaveTheRuleOut() {
    JsonObject limits = new JsonObject(server.get("/v1/limits?path=/secret/own").body());
    assertThat(limits.getJsonArray("rules")).hasSize(1);
    assertThat(limits.getString("rule")).isEqualTo("known");

    post("/v1/check", "/secret/own");
    JsonObject used = new JsonObject(server.get("/v1/limits?path=/secret/own").body());
    assertThat(used.getBoolean("allowed")).isFalse();
    assertThat(used.getString("reason")).isEqualTo("limited");
    assertThat(used.getString("rule")).isNull();
    assertThat(used.getValue("limit")).isNull();
    assertThat(used.getLong("retry_after_ms")).isBetween(1L, 3_600_000L);
    assertThat(used.encode()).doesNotContain("secret");
  }

  @Test
  void theServiceThatAsksSeesTheRule() {
    post("/v1/check", "/secret/service");
    JsonObject refused = post("/v1/check", "/secret/service");

    assertThat(refused.getString("rule")).isEqualTo("secret");
    assertThat(refused.getLong("limit")).isEqualTo(1);
  }

  @Test
  void explanationsForCallersLeaveTheRuleOut() {
    post("/v1/check", "/secret/explained");
    JsonObject explained = post("/v1/explain", "/secret/explained");

    assertThat(explained.getJsonObject("decision").getBoolean("allowed")).isFalse();
    assertThat(explained.copy().put("path", "").put("normal_path", "").encode())
        .doesNotContain("\"secret\"");
    assertThat(explained.getJsonArray("limits")).hasSize(1);
  }

  @Test
  void aRefusalForAMissingAttributeDoesNotNameTheRule() {
    HttpResponse<String> refused = authorize("/keyed");

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).doesNotContain("keyed").contains("lacks a required attribute");
  }
}
