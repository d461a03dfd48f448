package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.weir.engine.Engine;
import io.weir.redis.RedisOptions;
import io.weir.rule.RuleSet;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.quota.QuotaService;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.http.InternalErrors;
import io.weir.server.metrics.Metrics;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnvoyMetricsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final String FILE =
      """
      domain: d
      descriptors:
        - { key: k, value_to_metric: true, rate_limit: { unit: day, requests_per_unit: 10 } }
        - { key: s, shadow_mode: true, rate_limit: { unit: day, requests_per_unit: 1 } }
        - { key: free, rate_limit: { unlimited: true } }
        - { key: plan, value: gold, rate_limit: { unit: day, requests_per_unit: 10 } }
        - { key: ip, value: 192.0.2.7, rate_limit: { unit: day, requests_per_unit: 10 } }
        - { key: ip, value: '2001:db8::7', rate_limit: { unit: day, requests_per_unit: 10 } }
        - { key: path, value: /users/private, rate_limit: { unit: day, requests_per_unit: 10 } }
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
      server.ask("d", "ip=192.0.2.7", "ip=2001:db8::7", "path=/users/private", "plan=gold");
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
              "weir_decisions_total{outcome=\"allowed\",rule=\"d.plan_gold\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"d.ip_37dad677cf0b\"} 1.0",
              "weir_envoy_requests_total{outcome=\"ok\"} 4.0",
              "weir_envoy_requests_total{outcome=\"over_limit\"} 1.0",
              "weir_envoy_requests_total{outcome=\"unknown_domain\"} 1.0",
              "weir_envoy_requests_total{outcome=\"invalid\"} 2.0",
              "weir_answers_total{source=\"memory\"} 5.0",
              "weir_envoy_config_loads_total{outcome=\"success\"} 1.0")
          .noneMatch(line -> line.contains("secret"))
          .noneMatch(line -> line.matches(".*(192.0.2.7|2001.db8|users|private).*"));
    }
  }

  @Test
  void countsDegradedDecisionsSeparately() {
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

  /** Limits {@code d.NAME0}, {@code d.NAME1} and so on. */
  private static EnvoyConfig limits(String name, int number) {
    EnvoyLimit limit = new EnvoyLimit("", new EnvoyLimit.Unlimited(), List.of());
    List<EnvoyDescriptor> descriptors =
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    new EnvoyDescriptor(
                        name + i,
                        "",
                        Optional.of(limit),
                        EnvoyDescriptor.DescriptorOptions.NONE,
                        List.of()))
            .toList();
    return EnvoyConfig.of(List.of(new EnvoyDomain("d", descriptors)), "");
  }

  /** A search copies the list of all series: one search per series allocated 1.8 GB in total. */
  @Test
  void registersAThousandLimitsWithoutASearchForEach() {
    Metrics metrics = new Metrics(new InternalErrors());
    Engine engine = Engine.builder().rules(RuleSet.of()).build();
    try (QuotaService quotas =
        new QuotaService(engine, Duration.ofSeconds(1), Runnable::run, metrics::onError)) {
      EnvoyMetrics envoy = new EnvoyMetrics(metrics, new EnvoyStats(0.8, source -> {}), quotas);
      envoy.onLoad(limits("before", 1000));
      EnvoyConfig after = limits("after", 1000);
      long start = THREADS.getCurrentThreadAllocatedBytes();
      envoy.onLoad(after);

      assertThat(THREADS.getCurrentThreadAllocatedBytes() - start).isLessThan(200_000_000);
      List<String> shown = metrics.scrape().lines().toList();
      assertThat(shown).noneMatch(line -> line.contains("before"));
      assertThat(shown)
          .filteredOn(line -> line.contains("\"d.after"))
          .hasSize(1000 * EnvoyStats.Stat.values().length);
    }
  }

  @Test
  void removesSeriesOfRemovedLimitsAndCapsTheirNumber() throws Exception {
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
