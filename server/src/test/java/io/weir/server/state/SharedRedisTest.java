package io.weir.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.Limit;
import io.weir.redis.RedisOptions;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.SharedStoreSettings;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlowProxy;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that share a real Redis, and their responses while it is unavailable. */
@Timeout(60)
@Tag("process")
class SharedRedisTest {
  private static final String SECRET = "a secret of some length";
  private static final String[] RULES = {
    "{ id: free, match: { path: /open }, key: [user], limit: 3/h, on_fail: open }",
    "{ id: strict, match: { path: /closed }, key: [user], limit: 3/h, on_fail: closed }",
    "{ id: near, match: { path: /local }, key: [user], limit: 4/h }",
    "{ id: here, match: { path: /here }, key: [user], limit: 3/h, scope: instance }",
    "{ id: slots, match: { path: /slots }, key: [user],"
        + " limit: { algorithm: concurrency, permits: 2 } }"
  };

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private TestServer server() {
    return server(redis.uri());
  }

  /** A server with a long Redis timeout, as the test machine may be busy. */
  private static TestServer server(String uri) {
    return TestServer.with(
        config -> config.redis(patient(uri)).reservationSecret(SECRET),
        ConnectionTracker.TICK,
        RULES);
  }

  private static RedisOptions patient(String uri) {
    return RedisOptions.of(uri).timeout(Duration.ofSeconds(2));
  }

  private static JsonObject check(TestServer server, String path) {
    return server.check("{\"path\":\"" + path + "\",\"attributes\":{\"user\":\"42\"}}");
  }

  private static String reason(TestServer server, String path) {
    return check(server, path).getString("reason");
  }

  @Test
  void twoServersShareOneLimit() {
    try (TestServer one = server();
        TestServer other = server()) {
      assertThat(check(one, "/closed").getLong("remaining")).isEqualTo(2);
      assertThat(check(other, "/closed").getLong("remaining")).isEqualTo(1);
      assertThat(check(one, "/closed").getLong("remaining")).isZero();
      JsonObject refused = check(other, "/closed");

      assertThat(refused.getString("reason")).isEqualTo("limited");
      assertThat(refused.getBoolean("degraded")).isFalse();
      assertThat(check(one, "/here").getLong("remaining")).isEqualTo(2);
      assertThat(check(other, "/here").getLong("remaining")).isEqualTo(2);
      assertThat((List<?>) redis.command("KEYS", "weir:1:{*}:strict:*")).hasSize(1);
      assertThat((List<?>) redis.command("KEYS", "weir:1:{*}:here:*")).isEmpty();
      assertThat(one.server.store()).isEqualTo(redis.uri());
    }
  }

  @Test
  void adHocChecksAreSharedInAKeySpaceOfTheirOwn() {
    try (TestServer one = server();
        TestServer other = server()) {
      String body = "{\"key\":\"42\",\"limit\":2,\"window_ms\":3600000}";
      assertThat(remaining(one.post("/ratelimit/check", body))).isEqualTo(1);
      assertThat(remaining(other.post("/ratelimit/check", body))).isZero();
      assertThat(one.post("/ratelimit/check", body).body()).contains("\"allowed\":false");
      assertThat((List<?>) redis.command("KEYS", "weir:1:{*}:/ratelimit/check:s1")).hasSize(1);
    }
  }

  private static HttpResponse<String> authorize(TestServer server, String path) {
    return server.send(
        HttpRequest.newBuilder(server.uri("/v1/authorize"))
            .header("x-original-method", "GET")
            .header("x-original-uri", path));
  }

  private static long remaining(HttpResponse<String> response) {
    return new JsonObject(response.body()).getLong("remaining");
  }

  @Test
  void rulesFollowOnFailDuringAnOutageAndShareLimitsAfterIt() {
    try (TestServer one = server();
        TestServer other = server()) {
      check(one, "/closed");
      await()
          .atMost(Duration.ofSeconds(15))
          .until(() -> instances(one) == 2 && instances(other) == 2);
      redis.kill();

      for (int i = 0; i < 5; i++) {
        JsonObject open = check(one, "/open");
        assertThat(open.getBoolean("allowed")).isTrue();
        assertThat(open.getBoolean("degraded")).isTrue();
      }
      HttpResponse<String> closed =
          one.post("/v1/check", "{\"path\":\"/closed\",\"attributes\":{\"user\":\"42\"}}");
      assertThat(closed.statusCode()).isEqualTo(200);
      JsonObject refused = new JsonObject(closed.body());
      assertThat(refused.getString("reason")).isEqualTo("unavailable");
      assertThat(refused.getLong("retry_after_ms")).isEqualTo(1000);
      for (int i = 0; i < 2; i++) { // half of the limit each
        assertThat(check(one, "/local").getBoolean("allowed")).isTrue();
        assertThat(check(other, "/local").getBoolean("allowed")).isTrue();
      }
      assertThat(reason(one, "/local")).isEqualTo("limited");
      assertThat(reason(other, "/local")).isEqualTo("limited");
      assertThat(check(one, "/here").getBoolean("degraded")).isFalse();
      String adHoc = "{\"key\":\"42\",\"limit\":1,\"window_ms\":3600000}";
      assertThat(one.post("/ratelimit/check", adHoc).body()).contains("\"allowed\":true");
      assertThat(one.post("/ratelimit/check", adHoc).body()).contains("\"allowed\":false");
      assertThat(one.get("/readyz").statusCode()).isEqualTo(200);
      HttpResponse<String> unavailable = authorize(one, "/closed");
      assertThat(unavailable.statusCode()).isEqualTo(503);
      assertThat(unavailable.headers().firstValue("retry-after")).hasValue("1");
      assertThat(authorize(one, "/open").statusCode()).isEqualTo(200);

      redis.restart();
      await()
          .atMost(Duration.ofSeconds(15))
          .until(
              () ->
                  !reason(one, "/closed").equals("unavailable")
                      && !reason(other, "/closed").equals("unavailable"));
      await().atMost(Duration.ofSeconds(5)).until(() -> reason(one, "/closed").equals("limited"));
      assertThat(reason(other, "/closed")).isEqualTo("limited");
      assertThat(one.admin("/metrics").body())
          .contains(
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"free\"} 6.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"near\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"/ratelimit/check\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"/ratelimit/check\"} 1.0",
              "weir_internal_errors_total 0.0",
              "weir_store_seconds_count{node=\"127.0.0.1:" + redis.port() + "\"}")
          .containsPattern("weir_store_errors_total\\{kind=\"disconnected\",node=\"127[^}]*}");
    }
  }

  private static double instances(TestServer server) {
    return metric(server, "weir_instances");
  }

  /** The value of a metric; 0 if it does not exist. */
  private static double metric(TestServer server, String name) {
    return server.metric(name).orElse(0);
  }

  @Test
  void metricsShowTheBreakerOfANode() {
    try (TestServer server = server()) {
      String node = "{node=\"127.0.0.1:" + redis.port() + "\"}";
      assertThat(server.admin("/metrics").body()).contains("weir_breaker_state" + node + " 0.0");

      redis.kill();
      await().until(() -> metric(server, "weir_breaker_state" + node) == 1);
      assertThat(reason(server, "/closed")).isEqualTo("unavailable");

      redis.restart();
      await().until(() -> metric(server, "weir_breaker_state" + node) == 0);
      assertThat(reason(server, "/closed")).isEqualTo("ok");
      assertThat(metric(server, "weir_degraded_seconds_total" + node)).isPositive();
    }
  }

  @Test
  void metricsCountInvalidValues() {
    try (TestServer server = server()) {
      check(server, "/closed");
      String key = (String) ((List<?>) redis.command("KEYS", "weir:1:{*}:strict:*")).get(0);
      redis.command("SET", key, "something else");

      assertThat(check(server, "/closed").getLong("remaining")).isEqualTo(2);

      String node = "{node=\"127.0.0.1:" + redis.port() + "\"}";
      assertThat(metric(server, "weir_store_invalid_values_total" + node)).isEqualTo(1);
    }
  }

  @Test
  void metricsCountDecisionsBySource() {
    try (TestServer server = server()) {
      check(server, "/closed");
      check(server, "/here");
      redis.kill();
      await().until(() -> reason(server, "/closed").equals("unavailable"));
      check(server, "/open");

      String metrics = server.admin("/metrics").body();
      assertThat(metric(server, "weir_answers_total{source=\"store\"}")).isPositive();
      assertThat(metric(server, "weir_answers_total{source=\"memory\"}")).isEqualTo(1);
      assertThat(metric(server, "weir_answers_total{source=\"fallback\"}")).isPositive();
      assertThat(metrics)
          .contains(
              "weir_leased_tokens{rule=\"near\"} 0.0",
              "weir_lease_refills_total{rule=\"near\"}",
              "weir_hot_keys 0.0");
    }
  }

  @Test
  void theGuardAppliesToRulesThatFailOpen() {
    redis.kill();
    try (TestServer server =
        TestServer.with(
            config ->
                config
                    .redis(RedisOptions.of(redis.uri()))
                    .guard(new ServerConfig.LoadLimit(Limit.perHour(5), 100)),
            ConnectionTracker.TICK,
            RULES)) {
      for (int i = 0; i < 5; i++) {
        assertThat(reason(server, "/open")).isEqualTo("ok");
      }
      HttpResponse<String> beyond =
          server.post("/v1/check", "{\"path\":\"/open\",\"attributes\":{\"user\":\"42\"}}");
      assertThat(beyond.statusCode()).isEqualTo(503);
    }
  }

  @Test
  void hotRulesUseARedisOfTheirOwn() {
    try (RedisServer hot = RedisServer.start();
        TestServer server =
            TestServer.with(
                config ->
                    config.shared(
                        SharedStoreSettings.NONE
                            .redis(patient(redis.uri()))
                            .hot(
                                new SharedStoreSettings.HotRules(
                                    patient(hot.uri()), Set.of("strict")))),
                ConnectionTracker.TICK,
                "{ id: strict, key: [user], limit: 3/h, on_fail: closed }",
                "{ id: all, key: [], limit: 2/h, on_fail: open }")) {
      assertThat(reason(server, "/")).isEqualTo("ok");
      assertThat(reason(server, "/")).isEqualTo("ok");
      assertThat((List<?>) hot.command("KEYS", "*:strict:*")).hasSize(1);
      assertThat((List<?>) hot.command("KEYS", "*:all:*")).isEmpty();
      assertThat((List<?>) redis.command("KEYS", "*:all:*")).hasSize(1);
      assertThat((List<?>) redis.command("KEYS", "*:strict:*")).isEmpty();
      JsonObject refused = check(server, "/");
      assertThat(refused.getString("rule")).isEqualTo("all");

      redis.kill();
      // The token of the refused call was refunded: one of three is left.
      await("the refusal is no longer repeated").until(() -> reason(server, "/").equals("ok"));
      assertThat(reason(server, "/")).isEqualTo("limited");
      hot.kill();
      await().until(() -> reason(server, "/").equals("unavailable"));
    }
  }

  @Test
  void settleDuringAnOutageIsToBeRetried() {
    try (TestServer one = server();
        TestServer other = server()) {
      String call = "{\"path\":\"/slots\",\"attributes\":{\"user\":\"42\"}}";
      JsonObject made = new JsonObject(one.post("/v1/reserve", call).body());
      String reservation =
          new JsonObject().put("reservation", made.getString("reservation")).encode();
      redis.freeze();

      HttpResponse<String> away = other.post("/v1/release", reservation);
      assertThat(away.statusCode()).isEqualTo(503);
      assertThat(away.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(away.headers().firstValue("retry-after")).hasValue("1");
      assertThat(away.body()).contains("\"detail\":\"the store is unavailable; retry in 1 s\"");

      redis.thaw();
      await()
          .atMost(Duration.ofSeconds(15))
          .until(() -> other.post("/v1/release", reservation).statusCode() == 200);
      assertThat(one.post("/v1/release", reservation).body()).isEqualTo("{\"settled\":false}");
      assertThat(new JsonObject(one.post("/v1/reserve", call).body()).getLong("remaining"))
          .isEqualTo(1);
    }
  }

  @Test
  void startsWithoutRedisAndUsesItOnceAvailable() {
    redis.kill();
    long begun = System.nanoTime();
    try (TestServer server = server()) {
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(8));
      assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(reason(server, "/open")).isEqualTo("ok");
      assertThat(reason(server, "/closed")).isEqualTo("unavailable");

      redis.restart();
      await().atMost(Duration.ofSeconds(15)).until(() -> reason(server, "/closed").equals("ok"));
    }
  }

  @Test
  void concurrentCallsAreAnsweredOnTheirOwnConnections() throws Exception {
    try (SlowProxy far = SlowProxy.before(redis);
        TestServer server = server(far.uri())) {
      far.delay(Duration.ofMillis(20), Duration.ZERO);
      HttpClient client = HttpClient.newHttpClient();
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String body =
            "{\"path\":\"/closed\",\"attributes\":{\"user\":\"" + i + "\"},\"cost\":" + i % 3 + "}";
        answers.add(
            client
                .sendAsync(
                    HttpRequest.newBuilder(server.uri("/v1/check"))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                    HttpResponse.BodyHandlers.ofString())
                .thenApply(HttpResponse::body));
      }
      for (int i = 0; i < 200; i++) {
        JsonObject answer = new JsonObject(answers.get(i).get());
        assertThat(answer.getLong("remaining")).isEqualTo(3 - i % 3);
      }
    }
  }
}
