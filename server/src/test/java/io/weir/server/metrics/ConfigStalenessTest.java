package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.fixture.TestServer;
import io.weir.time.VirtualTime;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConfigStalenessTest {
  private final VirtualTime time = new VirtualTime();
  private final ConfigStaleness staleness = new ConfigStaleness(time);

  @Test
  void countsFromTheFirstInvalidChangeToTheNextValidOne() {
    assertThat(staleness.seconds()).isZero();
    staleness.markStale(ConfigStaleness.Source.RULES);
    time.advance(Duration.ofSeconds(20));
    staleness.markStale(ConfigStaleness.Source.RULES);
    time.advance(Duration.ofSeconds(10));
    assertThat(staleness.seconds()).isEqualTo(30);
    staleness.markFresh(ConfigStaleness.Source.ENVOY);
    assertThat(staleness.seconds()).isEqualTo(30);
    staleness.markFresh(ConfigStaleness.Source.RULES);
    assertThat(staleness.seconds()).isZero();
  }

  @Test
  void metricsShowThatTheRulesAreInvalid() throws Exception {
    try (TestServer server = TestServer.with("{ id: x, limit: 1/s }")) {
      assertThat(stale(server)).isZero();
      Files.writeString(server.rules, "rules: [{ id: x, limit: never }]\n");
      await().until(() -> stale(server) > 0);
      Files.writeString(server.rules, TestServer.document("{ id: x, limit: 2/s }"));
      await().until(() -> stale(server) == 0);
    }
  }

  private static double stale(TestServer server) {
    String name = "weir_rules_stale_seconds ";
    return server
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }
}
