package io.weir.server.admin;

import static io.weir.server.fixture.AdminRequests.get;
import static io.weir.server.fixture.AdminRequests.getWithToken;
import static io.weir.server.fixture.AdminRequests.token;
import static io.weir.server.fixture.AdminRequests.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.server.AdminRoutes;
import io.weir.server.config.AdminRole;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of the admin API. */
@Timeout(120)
class AdminApiTest {
  private static final String RULE = "{ id: a, key: [user], limit: 1000000/s, accuracy: exact }";

  @Test
  void listsTheKeysWithTheMostCalls() {
    FrontEndSettings front =
        tokens(false, token("look", AdminRole.VIEWER), token("help", AdminRole.OPERATOR));
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config ->
                    config
                        .frontEnd(front)
                        .redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                ConnectionTracker.TICK,
                RULE)) {
      String call = "{\"path\":\"/\",\"attributes\":{\"user\":\"anna@example.org\"}}";
      String batch = "{\"calls\":[" + (call + ",").repeat(199) + call + "]}";
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                for (int i = 0; i < 50; i++) {
                  server.post("/v1/check/batch", batch);
                }
                String metrics = get(server, "/metrics").body();
                return metrics.contains("weir_hot_keys 1.0");
              });
      HttpResponse<String> viewed = getWithToken(server, "look");
      JsonObject forViewer = new JsonObject(viewed.body());
      JsonObject forOperator = new JsonObject(getWithToken(server, "help").body());

      assertThat(forViewer.getBoolean("watched")).isTrue();
      assertThat(viewed.body()).doesNotContain("anna");
      assertThat(viewed.headers().firstValue("cache-control")).hasValue("no-store");
      JsonObject hidden = forViewer.getJsonArray("keys").getJsonObject(0);
      JsonObject shown = forOperator.getJsonArray("keys").getJsonObject(0);
      assertThat(hidden.getValue("key")).isNull();
      assertThat(hidden.getString("key_hash")).hasSize(16).isEqualTo(shown.getString("key_hash"));
      assertThat(shown.getJsonArray("key")).isEqualTo(JsonArray.of("anna@example.org"));
      assertThat(shown.getString("rule")).isEqualTo("a");
      assertThat(shown.getJsonArray("dimensions")).isEqualTo(JsonArray.of("user"));
      assertThat(shown.getLong("per_second")).isGreaterThan(1000);
      assertThat(shown.getLong("share_percent")).isBetween(90L, 100L);
      assertThat(shown.getBoolean("hot")).isTrue();
      assertThat(shown.getBoolean("leased")).isFalse();
      assertThat(shown.getString("accuracy")).isEqualTo("exact");
      assertThat(shown.getLong("shards")).isEqualTo(1);
      assertThat(shown.getLong("store_per_second")).isBetween(1000L, shown.getLong("per_second"));
      assertThat(shown.getString("suggestion")).startsWith("accuracy: 1% would");
      assertThat(shown.getJsonArray("changes").stream().map(change -> line((JsonObject) change)))
          .containsExactly(
              "rule accuracy: 1%", "store hot: { uri: redis://HOST:6379, rules: [a] }");
      JsonObject overview = overview(server, "look");
      assertThat(overview.getLong("hot_keys")).isEqualTo(1);
      assertThat(overview.getLong("instances")).isEqualTo(1);
      assertThat(overview.encode()).doesNotContain("anna");
      JsonObject store = overview.getJsonObject("store");
      assertThat(store.getBoolean("shared")).isTrue();
      JsonObject node = store.getJsonArray("nodes").getJsonObject(0);
      assertThat(node.getString("node")).isEqualTo("127.0.0.1:" + redis.port());
      assertThat(node.getString("breaker")).isEqualTo("closed");
    }
  }

  @Test
  void suggestsNothingForAFloodThatIsRefusedFromMemory() {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config ->
                    config
                        .frontEnd(front)
                        .redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                ConnectionTracker.TICK,
                "{ id: a, key: [user], limit: 1/h, accuracy: exact }")) {
      String call = "{\"path\":\"/\",\"attributes\":{\"user\":\"anna@example.org\"}}";
      // Calls before the first cached refusal go to Redis: keep them few.
      String batch = "{\"calls\":[" + (call + ",").repeat(9) + call + "]}";
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                for (int i = 0; i < 100; i++) {
                  server.post("/v1/check/batch", batch);
                }
                return get(server, "/metrics").body().contains("weir_hot_keys 1.0");
              });
      JsonObject shown =
          new JsonObject(getWithToken(server, "look").body()).getJsonArray("keys").getJsonObject(0);

      assertThat(shown.getBoolean("hot")).isTrue();
      assertThat(shown.getBoolean("leased")).isFalse();
      assertThat(shown.getValue("suggestion")).isNull();
      assertThat(shown.getJsonArray("changes")).isEmpty();
    }
  }

  private static String line(JsonObject change) {
    return change.getString("place") + " " + change.getString("line");
  }

  private static JsonObject overview(TestServer server, String token) {
    HttpResponse<String> answer =
        get(server, AdminRoutes.OVERVIEW, "Authorization", "Bearer " + token);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
    return new JsonObject(answer.body());
  }

  @Test
  void showsItsStateAndTheDecisionsOfItsRules() {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server =
        TestServer.with(
            front,
            "{ id: a, key: [user], limit: 2/h, description: for all, match: { path: /a } }",
            "{ id: b, key: [], limit: 100/s, mode: shadow, match: { path: /b } }")) {
      for (int i = 0; i < 3; i++) {
        server.check("{\"path\":\"/a\",\"attributes\":{\"user\":\"anna\"}}");
      }
      server.check("{\"path\":\"/elsewhere\"}");
      JsonObject shown = overview(server, "look");

      assertThat(shown.getString("state")).isEqualTo("ready");
      assertThat(shown.getLong("process")).isEqualTo(ProcessHandle.current().pid());
      assertThat(shown.getLong("unmatched")).isEqualTo(1);
      assertThat(shown.getLong("rules_version")).isEqualTo(1);
      assertThat(shown.getLong("rules_stale_seconds")).isZero();
      assertThat(shown.getJsonObject("answers").getLong("memory")).isEqualTo(3);
      assertThat(shown.getJsonObject("store"))
          .isEqualTo(
              new JsonObject("{\"name\":\"memory\",\"shared\":false,\"keys\":1,\"nodes\":[]}"));
      assertThat(shown.getJsonArray("rules").getJsonObject(0))
          .isEqualTo(
              new JsonObject(
                  """
                  {"id":"a","description":"for all","mode":"enforce","percent":100,"key":["user"],
                   "limits":["2/h"],"on_fail":"local","accuracy":"1%","shards":1,
                   "decisions":{"allowed":2,"denied":1,"shadow_denied":0,"degraded_allowed":0,
                    "degraded_denied":0}}"""));
      assertThat(shown.getJsonArray("rules").getJsonObject(1).getString("mode"))
          .isEqualTo("shadow");
    }
  }

  @Test
  void countsACallThatTwoRulesRefuseOnce() {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server =
        TestServer.with(
            front,
            "{ id: a, key: [], limit: 1/h, match: { path: /a } }",
            "{ id: b, key: [user], limit: 1/h, match: { path: /a } }")) {
      for (int i = 0; i < 3; i++) {
        server.check("{\"path\":\"/a\",\"attributes\":{\"user\":\"anna\"}}");
      }
      server.check("{\"path\":\"/elsewhere\"}");

      assertThat(overview(server, "look").getJsonObject("calls"))
          .isEqualTo(new JsonObject("{\"decided\":4,\"refused\":2}"));
    }
  }

  @Test
  void reportsAnUnavailableNode() {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server =
        TestServer.with(
            config -> config.frontEnd(front).redis(RedisOptions.of("redis://127.0.0.1:1")),
            ConnectionTracker.TICK,
            "{ id: a, key: [user], limit: 1/h, on_fail: open }")) {
      assertThat(server.check("{\"path\":\"/\"}").getBoolean("degraded")).isTrue();
      JsonObject shown = overview(server, "look");
      JsonObject node = shown.getJsonObject("store").getJsonArray("nodes").getJsonObject(0);

      assertThat(node.getString("node")).isEqualTo("127.0.0.1:1");
      assertThat(node.getString("breaker")).isEqualTo("open");
      assertThat(node.getLong("degraded_seconds")).isBetween(1L, 60L);
      assertThat(shown.getJsonObject("answers").getLong("fallback")).isEqualTo(1);
    }
  }

  @Test
  void reportsThatKeysInMemoryAreNotWatched() {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server = TestServer.with(front, RULE)) {
      assertThat(new JsonObject(getWithToken(server, "look").body()))
          .isEqualTo(
              new JsonObject("{\"watched\":false,\"hot_from_per_second\":1000,\"keys\":[]}"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "101", "-1", "x", "1e1", "99999999999", ""})
  void rejectsAnInvalidNumberOfKeys(String top) {
    FrontEndSettings front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server = TestServer.with(front, RULE)) {
      HttpResponse<String> answer =
          get(server, AdminRoutes.HOT_KEYS + "?top=" + top, "Authorization", "Bearer look");

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(new JsonObject(answer.body()).getString("field")).isEqualTo("top");
    }
  }
}
