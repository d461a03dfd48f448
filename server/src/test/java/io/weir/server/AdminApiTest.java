package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.http.identity.Sha256;
import io.weir.redis.RedisOptions;
import io.weir.testkit.process.RedisServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin API, and who may use it. */
@Timeout(120)
class AdminApiTest {
  private static final String RULE = "{ id: a, key: [user], limit: 1000000/s, accuracy: exact }";

  private static AdminSettings.Token token(String text, AdminRole role) {
    return new AdminSettings.Token(Sha256.hex(text), role, Instant.MAX);
  }

  private static FrontEnd tokens(boolean metricsNeedToken, AdminSettings.Token... tokens) {
    return FrontEnd.DEFAULT.admin(new AdminSettings(List.of(tokens), metricsNeedToken));
  }

  private static HttpResponse<String> ask(TestServer server, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + server.server.admin() + path));
    return server.send(headers.length == 0 ? request : request.headers(headers));
  }

  private static HttpResponse<String> askWith(TestServer server, String token) {
    return ask(server, AdminPort.HOT_KEYS, "Authorization", "Bearer " + token);
  }

  @Test
  void aTokenIsMadeWhereNoneIsSet() {
    try (TestServer one = TestServer.with(RULE);
        TestServer other = TestServer.with(RULE)) {
      String token = one.server.madeAdminToken().orElseThrow();

      assertThat(token).hasSizeGreaterThan(40);
      assertThat(other.server.madeAdminToken().orElseThrow()).isNotEqualTo(token);
      assertThat(askWith(one, token).statusCode()).isEqualTo(200);
      assertThat(askWith(other, token).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void noTokenIsMadeWhereSomeAreSet() {
    FrontEnd front =
        tokens(false, token("look", AdminRole.VIEWER), token("help", AdminRole.OPERATOR));
    try (TestServer server = TestServer.with(front, RULE)) {
      assertThat(server.server.madeAdminToken()).isEmpty();
      assertThat(askWith(server, "look").statusCode()).isEqualTo(200);
      assertThat(askWith(server, "help").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void nobodyElseIsAnsweredWhateverIsMissing() {
    AdminSettings.Token expired =
        new AdminSettings.Token(Sha256.hex("old"), AdminRole.ADMIN, Instant.now());
    try (TestServer server =
        TestServer.with(tokens(false, token("good", AdminRole.ADMIN), expired), RULE)) {
      List<HttpResponse<String>> refused =
          List.of(
              ask(server, AdminPort.HOT_KEYS),
              askWith(server, "wrong"),
              askWith(server, ""),
              askWith(server, "old"),
              askWith(server, Sha256.hex("good")),
              ask(server, AdminPort.HOT_KEYS, "Authorization", "Basic good"),
              ask(server, AdminPort.HOT_KEYS + "?token=good"),
              ask(server, "/admin/v1/nothing-here"));

      assertThat(refused).extracting(HttpResponse::statusCode).containsOnly(401);
      assertThat(refused).extracting(HttpResponse::body).hasSizeGreaterThan(1).doesNotContain("");
      assertThat(refused.stream().map(HttpResponse::body).distinct()).hasSize(1);
      assertThat(refused.get(0).headers().firstValue("www-authenticate")).hasValue("Bearer");
    }
  }

  @Test
  void anAddressThatFailsOftenIsNotHeardForAWhile() {
    FrontEnd front = tokens(true, token("good", AdminRole.ADMIN));
    try (TestServer server = TestServer.with(front, RULE)) {
      for (int i = 0; i < AdminDoor.MOST_FAILURES; i++) {
        assertThat(askWith(server, "guess" + i).statusCode()).isEqualTo(401);
      }
      HttpResponse<String> late = askWith(server, "good");

      assertThat(late.statusCode()).isEqualTo(429);
      assertThat(Long.parseLong(late.headers().firstValue("retry-after").orElseThrow()))
          .isBetween(1L, 7L);
      assertThat(askWith(server, "guess").statusCode()).isEqualTo(429);
      assertThat(ask(server, "/metrics").statusCode()).isEqualTo(429);
      assertThat(ask(server, "/healthz").statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site"})
  void aPageFromElsewhereIsRefusedAndClosesNothing(String site) {
    FrontEnd front = tokens(false, token("good", AdminRole.ADMIN));
    try (TestServer server = TestServer.with(front, RULE)) {
      for (int i = 0; i < 2 * AdminDoor.MOST_FAILURES; i++) {
        String token = i % 2 == 0 ? "Bearer good" : "Bearer guess";
        HttpResponse<String> refused =
            ask(server, AdminPort.HOT_KEYS, "Authorization", token, "Sec-Fetch-Site", site);
        assertThat(refused.statusCode()).isEqualTo(401);
      }

      assertThat(askWith(server, "good").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsAreOpenUnlessSaidOtherwise() {
    AdminSettings.Token good = token("good", AdminRole.VIEWER);
    try (TestServer open = TestServer.with(tokens(false, good), RULE);
        TestServer closed = TestServer.with(tokens(true, good), RULE)) {
      assertThat(ask(open, "/metrics").statusCode()).isEqualTo(200);
      assertThat(ask(closed, "/metrics").statusCode()).isEqualTo(401);
      assertThat(ask(closed, "/metrics", "Authorization", "Bearer good").statusCode())
          .isEqualTo(200);
      assertThat(ask(closed, "/readyz").statusCode()).isEqualTo(200);
      assertThat(ask(closed, "/v1/check").statusCode()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::"})
  void doesNotStartWhereOthersReachItWithoutTokens(String host) {
    ServerConfig config = ServerConfig.DEFAULT.admin(new Address(host, 0));

    assertThatThrownBy(() -> WeirServer.start(config))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.reasons())
                    .singleElement()
                    .asString()
                    .contains("can be reached from other machines; set admin.tokens"));
  }

  @Test
  void startsWhereOthersReachItWithTokens() {
    FrontEnd front = tokens(false, token("good", AdminRole.ADMIN));
    try (TestServer server =
        TestServer.with(
            config -> config.frontEnd(front).admin(new Address("0.0.0.0", 0)),
            Connections.TICK,
            RULE)) {
      assertThat(server.server.madeAdminToken()).isEmpty();
    }
  }

  private static ServerConfig read(Path folder, String yaml, Map<String, String> environment)
      throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), yaml);
    return ServerConfig.read(Optional.of(file), environment);
  }

  @Test
  void readsTokensFromTheConfigurationAFileAndTheEnvironment(@TempDir Path folder)
      throws Exception {
    String hash = Sha256.hex("x");
    Files.writeString(
        folder.resolve("tokens"), "# those on call\n" + hash + " operator 2027-01-01 # Ann\n\n");
    AdminSettings written =
        read(folder, "admin: { tokens: [" + hash + " viewer], metrics: token }\n", Map.of())
            .frontEnd()
            .admin();
    AdminSettings inFile =
        read(folder, "admin: { tokens_file: tokens }\nlisten: { admin: 0.0.0.0:1 }\n", Map.of())
            .frontEnd()
            .admin();
    AdminSettings inEnvironment =
        read(folder, "", Map.of("WEIR_ADMIN_TOKENS", hash + " admin, " + hash + " viewer"))
            .frontEnd()
            .admin();

    assertThat(written)
        .isEqualTo(
            new AdminSettings(
                List.of(new AdminSettings.Token(hash, AdminRole.VIEWER, Instant.MAX)), true));
    assertThat(inFile.tokens())
        .containsExactly(
            new AdminSettings.Token(
                hash, AdminRole.OPERATOR, Instant.parse("2027-01-01T00:00:00Z")));
    assertThat(inEnvironment.tokens())
        .extracting(AdminSettings.Token::role)
        .containsExactly(AdminRole.ADMIN, AdminRole.VIEWER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          admin: { tokens: [secret viewer] }    | tokens are written as their SHA-256
          admin: { tokens: [HASH] }             | tokens are written as their SHA-256
          admin: { tokens: [HASH boss] }        | 'boss' is not viewer, operator or admin
          admin: { tokens: [HASH viewer soon] } | 'soon' is not a day
          admin: { metrics: yes }               | is either open or token
          listen: { admin: 0.0.0.0:6070 }       | set admin.tokens, or listen on 127.0.0.1
          """)
  void saysWhatIsWrong(String yaml, String reason, @TempDir Path folder) {
    String text = yaml.replace("HASH", "0".repeat(64));

    assertThatThrownBy(() -> read(folder, text, Map.of()))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.reasons())
                    .singleElement()
                    .asString()
                    .contains(":1: ")
                    .contains(reason)
                    .doesNotContain("secret"));
  }

  @Test
  void showsWhichKeysAreAskedForMost() {
    FrontEnd front =
        tokens(false, token("look", AdminRole.VIEWER), token("help", AdminRole.OPERATOR));
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config ->
                    config
                        .frontEnd(front)
                        .redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                Connections.TICK,
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
                String metrics = ask(server, "/metrics").body();
                return metrics.contains("weir_hot_keys 1.0");
              });
      HttpResponse<String> viewed = askWith(server, "look");
      JsonObject forViewer = new JsonObject(viewed.body());
      JsonObject forOperator = new JsonObject(askWith(server, "help").body());

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
          .containsExactly("rule accuracy: 1%", "rule shards: 8");
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
    FrontEnd front = tokens(false, token("look", AdminRole.VIEWER));
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config ->
                    config
                        .frontEnd(front)
                        .redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                Connections.TICK,
                "{ id: a, key: [user], limit: 1/h, accuracy: exact }")) {
      String call = "{\"path\":\"/\",\"attributes\":{\"user\":\"anna@example.org\"}}";
      // Whatever is asked before a refusal is known is asked of Redis: keep it few.
      String batch = "{\"calls\":[" + (call + ",").repeat(9) + call + "]}";
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                for (int i = 0; i < 100; i++) {
                  server.post("/v1/check/batch", batch);
                }
                return ask(server, "/metrics").body().contains("weir_hot_keys 1.0");
              });
      JsonObject shown =
          new JsonObject(askWith(server, "look").body()).getJsonArray("keys").getJsonObject(0);

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
        ask(server, AdminPort.OVERVIEW, "Authorization", "Bearer " + token);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
    return new JsonObject(answer.body());
  }

  @Test
  void showsHowItIsAndWhatItsRulesDecided() {
    FrontEnd front = tokens(false, token("look", AdminRole.VIEWER));
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
  void tellsThatANodeIsAway() {
    FrontEnd front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server =
        TestServer.with(
            config -> config.frontEnd(front).redis(RedisOptions.of("redis://127.0.0.1:1")),
            Connections.TICK,
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
  void saysThatKeysInMemoryAreNotWatched() {
    FrontEnd front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server = TestServer.with(front, RULE)) {
      assertThat(new JsonObject(askWith(server, "look").body()))
          .isEqualTo(
              new JsonObject("{\"watched\":false,\"hot_from_per_second\":1000,\"keys\":[]}"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "101", "-1", "x", "1e1", "99999999999", ""})
  void refusesAnOddNumberOfKeys(String top) {
    FrontEnd front = tokens(false, token("look", AdminRole.VIEWER));
    try (TestServer server = TestServer.with(front, RULE)) {
      HttpResponse<String> answer =
          ask(server, AdminPort.HOT_KEYS + "?top=" + top, "Authorization", "Bearer look");

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(new JsonObject(answer.body()).getString("field")).isEqualTo("top");
    }
  }
}
