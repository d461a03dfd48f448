package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Call;
import io.weir.server.fixture.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CheckApiTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.with(
            "{ id: pair, match: { path: /pair }, key: [user], limit: 2/h }",
            "{ id: window, match: { path: /pair }, key: [user], limit: { algorithm: sliding-window, rate: 50/h } }",
            "{ id: tried, match: { path: /shadow }, key: [user], limit: 1/h, mode: shadow }",
            "{ id: slots, match: { path: /slots }, key: [user], limit: { algorithm: concurrency, permits: 1 } }",
            "{ id: spend, match: { path: /spend }, key: [user], limit: 10/h, cost: { attribute: tokens, default: 1, max: 100 } }",
            "{ id: even, match: { path: /even }, key: [user], limit: { algorithm: leaky-bucket, rate: 1/min, queue: 3 } }",
            "{ id: shut, match: { path: /shut }, key: [user], limit: 0/s }",
            "{ id: posts, match: { path: /posts, methods: [post] }, key: [method, user], limit: 2/h }",
            "{ id: named, match: { path: /named }, key: [user], limit: 5/h, on_missing: deny }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String call(String path, String user) {
    return "{\"path\":\"" + path + "\",\"attributes\":{\"user\":\"" + user + "\"}}";
  }

  @Test
  void answersWithTheDecidingLimitOnTopAndEveryLimitBelow() {
    HttpResponse<String> response = server.post("/v1/check", call("/pair", "shape"));
    JsonObject decision = new JsonObject(response.body());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
    assertThat(decision.fieldNames())
        .containsExactly(
            "allowed",
            "rule",
            "reason",
            "kind",
            "limit",
            "remaining",
            "reset_ms",
            "retry_after_ms",
            "delay_ms",
            "degraded",
            "rules");
    assertThat(decision.getString("rule")).isEqualTo("pair");
    assertThat(decision.getString("reason")).isEqualTo("ok");
    assertThat(decision.getString("kind")).isEqualTo("rate");
    assertThat(decision.getLong("limit")).isEqualTo(2);
    assertThat(decision.getLong("remaining")).isEqualTo(1);
    assertThat(decision.getLong("reset_ms")).isBetween(1_799_000L, 1_800_000L);
    assertThat(decision.getLong("retry_after_ms")).isZero();
    JsonArray rules = decision.getJsonArray("rules");
    assertThat(rules).hasSize(2);
    assertThat(rules.getJsonObject(1).fieldNames())
        .containsExactly(
            "id",
            "name",
            "kind",
            "limit",
            "allowed",
            "remaining",
            "reset_ms",
            "retry_after_ms",
            "mode");
    assertThat(rules.getJsonObject(1).getString("id")).isEqualTo("window");
  }

  @Test
  void acceptsAMethodInAnyCase() {
    String call = "{\"method\":\"%s\",\"path\":\"/posts\",\"attributes\":{\"user\":\"1\"}}";

    assertThat(server.check(call.formatted("post")).getLong("remaining")).isEqualTo(1);
    assertThat(server.check(call.formatted("Post")).getLong("remaining")).isZero();
    assertThat(server.check(call.formatted("POST")).getBoolean("allowed")).isFalse();
    assertThat(server.get("/v1/limits?method=pOST&path=/posts&user=1").body())
        .contains("\"rule\":\"posts\"");
    JsonObject explained =
        new JsonObject(server.post("/v1/explain", call.formatted("post")).body());
    assertThat(explained.getString("method")).isEqualTo("POST");
  }

  @Test
  void givesARetryTimeWhenRefused() {
    server.check(call("/pair", "wait"));
    server.check(call("/pair", "wait"));
    JsonObject refused = server.check(call("/pair", "wait"));

    assertThat(refused.getBoolean("allowed")).isFalse();
    assertThat(refused.getString("reason")).isEqualTo("limited");
    assertThat(refused.getLong("remaining")).isZero();
    assertThat(refused.getLong("retry_after_ms")).isBetween(1_790_000L, 1_800_000L);
  }

  @Test
  void answersWithNullsWhenNoRuleMatches() {
    assertThat(server.post("/v1/check", call("/elsewhere", "x")).body())
        .isEqualTo(
            "{\"allowed\":true,\"rule\":null,\"reason\":\"ok\",\"kind\":null,\"limit\":null,"
                + "\"remaining\":null,\"reset_ms\":null,\"retry_after_ms\":0,\"delay_ms\":0,"
                + "\"degraded\":false,\"rules\":[]}");
  }

  @Test
  void givesNoRetryTimeWhenWaitingCannotHelp() {
    JsonObject tooMuch =
        server.check("{\"path\":\"/pair\",\"attributes\":{\"user\":\"big\"},\"cost\":3}");
    JsonObject shut = server.check(call("/shut", "x"));
    JsonObject blocked = server.check("{\"path\":\"/named\"}");

    assertThat(tooMuch.getBoolean("allowed")).isFalse();
    assertThat(tooMuch.getValue("retry_after_ms")).isNull();
    assertThat(shut.getBoolean("allowed")).isFalse();
    assertThat(shut.getValue("retry_after_ms")).isNull();
    assertThat(blocked.getString("reason")).isEqualTo("blocked");
    assertThat(blocked.getString("rule")).isEqualTo("named");
    assertThat(blocked.getValue("retry_after_ms")).isNull();
  }

  @Test
  void neverRefusesForAShadowRule() {
    server.check(call("/shadow", "s"));
    JsonObject second = server.check(call("/shadow", "s"));

    assertThat(second.getBoolean("allowed")).isTrue();
    assertThat(second.getValue("rule")).isNull();
    JsonObject entry = second.getJsonArray("rules").getJsonObject(0);
    assertThat(entry.getBoolean("allowed")).isFalse();
    assertThat(entry.getString("mode")).isEqualTo("shadow");
  }

  @Test
  void givesTheDelayOfShapedCalls() {
    server.check(call("/even", "d"));
    JsonObject second = server.check(call("/even", "d"));

    assertThat(second.getBoolean("allowed")).isTrue();
    assertThat(second.getLong("delay_ms")).isBetween(59_000L, 60_000L);
  }

  @Test
  void acceptsNumbersAndBooleansAsAttributes() {
    JsonObject decision =
        server.check("{\"path\":\"/spend\",\"attributes\":{\"user\":7,\"tokens\":4,\"x\":true}}");

    assertThat(decision.getLong("remaining")).isEqualTo(6);
  }

  @Test
  void looksWithoutTakingAtCostZero() {
    String look = "{\"path\":\"/pair\",\"attributes\":{\"user\":\"look\"},\"cost\":0}";

    assertThat(server.check(look).getLong("remaining")).isEqualTo(2);
    assertThat(server.check(look).getLong("remaining")).isEqualTo(2);
  }

  @Test
  void decidesABatchInOrder() {
    String one = call("/pair", "batch");
    HttpResponse<String> response =
        server.post(
            "/v1/check/batch", "{\"calls\":[" + String.join(",", one, one, one, "{}") + "]}");
    JsonArray decisions = new JsonObject(response.body()).getJsonArray("decisions");

    assertThat(decisions.stream().map(d -> ((JsonObject) d).getBoolean("allowed")))
        .containsExactly(true, true, false, true);
    assertThat(server.post("/v1/check/batch", "{\"calls\":[]}").body())
        .isEqualTo("{\"decisions\":[]}");
  }

  /** A rejected batch takes nothing, not even for the calls before the invalid one. */
  @Test
  void takesNothingForABatchWithAnInvalidCost() {
    String spend = "{\"path\":\"/spend\",\"attributes\":{\"tokens\":\"no\"}}";
    HttpResponse<String> refused =
        server.post(
            "/v1/check/batch", "{\"calls\":[" + call("/pair", "untouched") + "," + spend + "]}");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(new JsonObject(refused.body()).getString("field"))
        .isEqualTo("calls[1].attributes.tokens");
    assertThat(server.get("/v1/limits?path=/pair&user=untouched").body())
        .contains("\"remaining\":2");
    assertThat(
            server
                .post("/v1/check/batch", "{\"calls\":[" + spend.replace("/spend", "/pair") + "]}")
                .statusCode())
        .isEqualTo(200); // not a cost of the matching rules
  }

  @Test
  void refusesToSettleAtACostThatIsTooHigh() {
    JsonObject reserved =
        new JsonObject(server.post("/v1/reserve", call("/spend", "capped")).body());
    String token = reserved.getString("reservation");
    for (long cost : new long[] {11, Call.MAX_COST}) {
      HttpResponse<String> refused =
          server.post("/v1/settle", "{\"reservation\":\"" + token + "\",\"cost\":" + cost + "}");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(new JsonObject(refused.body()).getString("field")).isEqualTo("cost");
      assertThat(refused.body()).contains("cost " + cost + " is above 10");
    }
    assertThat(server.post("/v1/settle", "{\"reservation\":\"" + token + "\",\"cost\":10}").body())
        .isEqualTo("{\"settled\":true}");
  }

  @Test
  void settlesAReservationForAHugeKey() {
    String huge = "x".repeat(400_000);
    JsonObject reserved = new JsonObject(server.post("/v1/reserve", call("/spend", huge)).body());
    String token = reserved.getString("reservation");
    assertThat(server.post("/v1/settle", "{\"reservation\":\"" + token + "\",\"cost\":0}").body())
        .isEqualTo("{\"settled\":true}");
  }

  @Test
  void settlesAReservationOnce() {
    JsonObject reserved = new JsonObject(server.post("/v1/reserve", call("/pair", "r")).body());
    String token = reserved.getString("reservation");
    String settle = "{\"reservation\":\"" + token + "\",\"cost\":0}";

    assertThat(reserved.getLong("remaining")).isEqualTo(1);
    assertThat(server.post("/v1/settle", settle).body()).isEqualTo("{\"settled\":true}");
    assertThat(server.post("/v1/settle", settle).body()).isEqualTo("{\"settled\":false}");
    assertThat(server.get("/v1/limits?path=/pair&user=r").body()).contains("\"remaining\":2");
  }

  @Test
  void holdsPermitsUntilTheyAreReleased() {
    JsonObject first = new JsonObject(server.post("/v1/reserve", call("/slots", "p")).body());
    String token = "{\"reservation\":\"" + first.getString("reservation") + "\"}";
    JsonObject second = new JsonObject(server.post("/v1/reserve", call("/slots", "p")).body());

    assertThat(second.getBoolean("allowed")).isFalse();
    assertThat(second.getString("kind")).isEqualTo("concurrency");
    assertThat(second.containsKey("reservation")).isFalse();
    assertThat(server.post("/v1/renew", token).body()).isEqualTo("{\"settled\":true}");
    assertThat(server.post("/v1/release", token).body()).isEqualTo("{\"settled\":true}");
    assertThat(server.post("/v1/release", token).body()).isEqualTo("{\"settled\":false}");
    assertThat(
            new JsonObject(server.post("/v1/reserve", call("/slots", "p")).body())
                .getBoolean("allowed"))
        .isTrue();
  }

  @Test
  void answers404ForAForgedReservation() {
    for (String path : List.of("/v1/settle", "/v1/release", "/v1/renew")) {
      String cost = path.equals("/v1/settle") ? ",\"cost\":1" : "";
      HttpResponse<String> response = server.post(path, "{\"reservation\":\"AAAA\"" + cost + "}");

      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.headers().firstValue("content-type"))
          .hasValue("application/problem+json");
    }
  }

  @Test
  void showsTheCallersOwnLimitsFreeOfCharge() {
    server.check(call("/pair", "own"));
    JsonObject first = new JsonObject(server.get("/v1/limits?path=/pair&user=own").body());
    JsonObject again = new JsonObject(server.get("/v1/limits?user=own&path=%2Fpair").body());

    assertThat(first.getLong("remaining")).isEqualTo(1);
    assertThat(again.getLong("remaining")).isEqualTo(1);
  }

  @Test
  void usesThePeerAsTheAddressOfAQuery() {
    JsonObject named =
        new JsonObject(
            server
                .post("/v1/explain", "{\"path\":\"/pair\",\"attributes\":{\"ip\":\"127.0.0.1\"}}")
                .body());
    server.check("{\"path\":\"/pair\",\"attributes\":{\"ip\":\"127.0.0.1\"}}");

    assertThat(named.getJsonArray("limits").getJsonObject(0).getString("key"))
        .contains("127.0.0.1");
    assertThat(server.get("/v1/limits?path=/pair").body()).contains("\"remaining\":1");
  }

  @Test
  void explainsWithoutTaking() {
    String body = "{\"path\":\"//pair/\",\"attributes\":{\"user\":\"e\"}}";
    server.post("/v1/explain", body);
    JsonObject explanation = new JsonObject(server.post("/v1/explain", body).body());

    assertThat(explanation.getString("normal_path")).isEqualTo("/pair");
    assertThat(explanation.getJsonArray("rules")).hasSize(9);
    JsonObject pair = explanation.getJsonArray("rules").getJsonObject(0);
    assertThat(pair.getBoolean("applies")).isTrue();
    assertThat(pair.getString("key")).isEqualTo("e");
    JsonObject limit = explanation.getJsonArray("limits").getJsonObject(0);
    assertThat(limit.getString("limit")).isEqualTo("2/h");
    assertThat(limit.getString("arithmetic")).contains("deficit 0");
    assertThat(explanation.getJsonObject("decision").getLong("remaining")).isEqualTo(2);
  }

  @Test
  void answersHealthOnBothPortsAndHead() {
    assertThat(server.get("/healthz").body()).isEqualTo("{\"status\":\"ok\"}");
    assertThat(server.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
    assertThat(server.admin("/healthz").statusCode()).isEqualTo(200);
    assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
    HttpResponse<String> head =
        server.send(
            HttpRequest.newBuilder(server.uri("/healthz"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }
}
