package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.json.JsonObject;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.redis.RedisOptions;
import io.weir.rule.Bypass;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.AdminRoutes;
import io.weir.server.config.AdminSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.TestServer;
import io.weir.server.front.Health;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.http.InternalErrors;
import io.weir.server.listen.ListenerGroup;
import io.weir.server.state.ServerStores;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  private static final String RULES =
      """
      version: 1
      bypass:
        - id: smoke
          token_sha256: "%s"
          limit: 10/s
          expires: 2999-01-01
      rules:
        - { id: two, match: { path: /a }, key: [user], limit: 2/h }
        - { id: wide, match: { path: /a }, key: [user], limit: [100/h, 200/day] }
        - { id: tried, match: { path: /a }, key: [user], limit: 1/h, mode: shadow }
        - { id: named, match: { path: /n }, key: [user], limit: 1/h, on_missing: deny }
      """;

  private static String sha256(String text) throws Exception {
    return java.util.HexFormat.of()
        .formatHex(
            java.security.MessageDigest.getInstance("SHA-256")
                .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }

  @Test
  void countsDecisionsByRule(@TempDir Path folder) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, RULES.formatted(sha256("open sesame")));
    try (TestServer server =
        TestServer.with(
            config -> config.rules(rules), ConnectionTracker.TICK, "{ id: x, limit: 1/s }")) {
      for (int i = 0; i < 3; i++) {
        server.check("{\"path\":\"/a\",\"attributes\":{\"user\":\"1\"}}");
      }
      server.check("{\"path\":\"/elsewhere\"}");
      server.check("{\"path\":\"/n\"}");
      JsonObject bypassed =
          server.check("{\"path\":\"/a\",\"attributes\":{\"bypass\":\"open sesame\"}}");
      server.check(
          "{\"path\":\"/a\",\"attributes\":{\"user\":\"1\",\"bypass\":\"no\"},\"cost\":0}");
      server.get("/v1/limits?path=/a&user=1");
      HttpResponse<String> metrics = server.admin("/metrics");

      assertThat(bypassed.getString("reason")).isEqualTo("bypassed");
      assertThat(bypassed.getString("rule")).isEqualTo("smoke");
      assertThat(metrics.headers().firstValue("content-type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      assertThat(metrics.body().lines().filter(line -> !line.startsWith("#")))
          .contains(
              "weir_decisions_total{outcome=\"allowed\",rule=\"two\"} 3.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"two\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"wide\"} 3.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"wide\"} 0.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"tried\"} 2.0",
              "weir_decisions_total{outcome=\"shadow_denied\",rule=\"tried\"} 2.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"named\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"\"} 1.0",
              "weir_decisions_total{outcome=\"bypassed\",rule=\"smoke\"} 1.0",
              "weir_bypass_total{token=\"smoke\"} 1.0",
              "weir_internal_errors_total 0.0",
              "weir_rules_version 1.0");
      assertThat(metrics.body()).contains("weir_keys 5.0");
    }
  }

  private static double value(TestServer server, String name) {
    return server.metric(name).orElseThrow();
  }

  private static void call(TestServer server, int batches) {
    String call = "{\"path\":\"/\",\"attributes\":{\"user\":\"1\"}}";
    String batch = "{\"calls\":[" + (call + ",").repeat(199) + call + "]}";
    for (int i = 0; i < batches; i++) {
      assertThat(server.post("/v1/check/batch", batch).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void reportsTheAdmittedFractionOfALimit() {
    try (TestServer server =
        TestServer.with(
            "{ id: bucket, key: [user], limit: 10000/h }",
            "{ id: window, key: [user], limit: { algorithm: sliding-window, rate: 10000/h } }")) {
      assertThat(value(server, "weir_over_admission_ratio{rule=\"bucket\"}")).isZero();
      call(server, 60);

      // One call in 64 samples a key, and earlier calls are not seen. In an hour the bucket
      // allows a burst of 10,000 and 10,000 refilled tokens.
      assertThat(value(server, "weir_over_admission_ratio{rule=\"bucket\"}")).isBetween(0.4, 0.51);
      assertThat(value(server, "weir_over_admission_ratio{rule=\"window\"}")).isBetween(0.8, 1.0);
      assertThat(value(server, "weir_estimate_error_ratio{rule=\"window\"}")).isNaN();
      assertThat(server.admin("/metrics").body())
          .doesNotContain("weir_estimate_error_ratio{rule=\"bucket\"}");
    }
  }

  private static RuleSet rules(String rule, String token) {
    return RuleSet.builder()
        .rule(Rule.named(rule).limit(Limit.perHour(1)).build())
        .bypass(new Bypass(token, "0".repeat(64), Limit.perHour(1), Instant.MAX))
        .build();
  }

  @Test
  void removesSeriesOfRemovedRulesAndTokens() {
    Metrics metrics = new Metrics(new InternalErrors());
    metrics.rules(rules("old", "key"));
    metrics.rules(rules("new", "lock"));

    assertThat(metrics.scrape())
        .doesNotContain("\"old\"", "\"key\"")
        .contains(
            "weir_decisions_total{outcome=\"denied\",rule=\"new\"} 0.0",
            "weir_decisions_total{outcome=\"bypassed\",rule=\"lock\"} 0.0",
            "weir_bypass_total{token=\"lock\"} 0.0");
  }

  @Test
  void areNotFormattedOnAnEventLoop() throws Exception {
    Metrics metrics = new Metrics(new InternalErrors());
    metrics.gauge("on.loop", "1 or 0", this, test -> Context.isOnEventLoopThread() ? 1 : 0);
    ServerStores stores =
        ServerStores.open(ServerConfig.DEFAULT, metrics.store(), metrics.errors());
    ListenerGroup ports =
        new ListenerGroup(FrontEndSettings.DEFAULT, metrics.errors(), ConnectionTracker.TICK);
    try {
      Engine engine = Engine.builder().rules(RuleSet.of()).build();
      AdminSettings open = new AdminSettings(List.of(), false);
      AdminRoutes admin =
          new AdminRoutes(
              open,
              new Health(),
              metrics,
              engine,
              stores,
              new HotKeyAdvisor(() -> 1, stores.layout(), rule -> false),
              Optional.empty());
      ListenAddress at =
          ports.open(ListenerGroup.ADMIN, new ListenAddress("127.0.0.1", 0), admin::router);
      HttpRequest scrape = HttpRequest.newBuilder(URI.create("http://" + at + "/metrics")).build();

      assertThat(HttpClient.newHttpClient().send(scrape, BodyHandlers.ofString()).body().lines())
          .contains("on_loop 0.0");
    } finally {
      ports.close();
      stores.close();
    }
  }

  @Test
  void reportsOverAdmissionOfAnOpenRuleWithoutItsStore() {
    try (TestServer server =
        TestServer.with(
            config -> config.redis(RedisOptions.of("redis://127.0.0.1:1")),
            ConnectionTracker.TICK,
            "{ id: open, key: [user], limit: 100/h, on_fail: open }")) {
      call(server, 10);

      assertThat(value(server, "weir_over_admission_ratio{rule=\"open\"}")).isBetween(5.0, 10.0);
    }
  }
}
