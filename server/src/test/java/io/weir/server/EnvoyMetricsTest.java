package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnvoyMetricsTest {
  private static final String FILE =
      """
      domain: d
      descriptors:
        - { key: k, value_to_metric: true, rate_limit: { unit: day, requests_per_unit: 10 } }
        - { key: s, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
        - { key: free, rate_limit: { unlimited: true } }
      """;

  private static List<String> metrics(EnvoyTestServer server) {
    return server.http.admin("/metrics").body().lines().filter(l -> !l.startsWith("#")).toList();
  }

  @Test
  void countsByLimitAndNeverByValue() {
    try (EnvoyTestServer server = EnvoyTestServer.with(FILE)) {
      server.ask(EnvoyTestServer.about("d", "k=secret").setHitsAddend(9).build());
      server.ask(EnvoyTestServer.about("d", "k=secret", "free=1").setHitsAddend(2).build());
      server.ask("d", "s=1");
      server.ask("d", "s=1", "free=1");
      server.ask("nobody", "k=1");
      server.refusal(EnvoyTestServer.about("d").build());
      server.http.post("/json", "{");

      assertThat(metrics(server))
          .contains(
              "weir_envoy_hits_total{rule=\"d.k\",stat=\"total_hits\"} 11.0",
              "weir_envoy_hits_total{rule=\"d.k\",stat=\"within_limit\"} 9.0",
              "weir_envoy_hits_total{rule=\"d.k\",stat=\"near_limit\"} 1.0",
              "weir_envoy_hits_total{rule=\"d.k\",stat=\"over_limit\"} 2.0",
              "weir_envoy_hits_total{rule=\"d.s\",stat=\"shadow_mode\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"d.k\"} 1.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"d.k\"} 1.0",
              "weir_decisions_total{outcome=\"shadow_denied\",rule=\"d.s\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"d.free\"} 1.0",
              "weir_envoy_requests_total{outcome=\"ok\"} 3.0",
              "weir_envoy_requests_total{outcome=\"over_limit\"} 1.0",
              "weir_envoy_requests_total{outcome=\"unknown_domain\"} 1.0",
              "weir_envoy_requests_total{outcome=\"invalid\"} 2.0",
              "weir_answers_total{source=\"memory\"} 4.0",
              "weir_envoy_config_loads_total{outcome=\"success\"} 1.0")
          .noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  void tellsDecisionsWithoutTheStoreApart() {
    String file =
        """
        domain: d
        descriptors:
          - { key: here, rate_limit: { unit: day, requests_per_unit: 1, on_fail: local } }
          - { key: shut, rate_limit: { unit: day, requests_per_unit: 10, on_fail: closed } }
        """;
    try (EnvoyTestServer server =
        EnvoyTestServer.with(
            file,
            config ->
                config.redis(
                    RedisOptions.of("redis://127.0.0.1:1").timeout(Duration.ofMillis(100))))) {
      server.ask("d", "here=1");
      server.ask("d", "here=1");
      server.refusal(EnvoyTestServer.about("d", "shut=1").build());

      assertThat(metrics(server))
          .contains(
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"d.here\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.here\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"d.here\"} 0.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.shut\"} 1.0",
              "weir_answers_total{source=\"fallback\"} 3.0");
    }
  }

  @Test
  void forgetsLimitsThatAreGoneAndCapsTheirNumber() throws Exception {
    try (EnvoyTestServer server = EnvoyTestServer.with(FILE)) {
      StringBuilder many = new StringBuilder("domain: d\ndescriptors:\n");
      for (int i = 0; i < 1500; i++) {
        many.append(
            "  - { key: n%d, rate_limit: { unit: day, requests_per_unit: 1 } }\n".formatted(i));
      }
      Files.writeString(server.folder.resolve("config.yaml"), many);
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> metrics(server).stream().anyMatch(line -> line.contains("\"d.n998\"")));
      server.ask("d", "n1499=1");
      await()
          .atMost(Duration.ofSeconds(10))
          .until(
              () -> metrics(server).stream().filter(l -> l.contains("total_hits")).count() > 1000);
      List<String> shown = metrics(server);
      assertThat(shown).noneMatch(line -> line.contains("\"d.k\""));
      assertThat(shown).filteredOn(line -> line.contains("total_hits")).hasSize(1001);
      assertThat(shown).contains("weir_envoy_hits_total{rule=\"others\",stat=\"total_hits\"} 1.0");
    }
  }
}
