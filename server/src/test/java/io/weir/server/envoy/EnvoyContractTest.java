package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.EnvoyTestServer;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract with Envoy on the memory store. */
class EnvoyContractTest extends EnvoyContract {
  @Override
  ServerConfig withStore(ServerConfig config) {
    return config;
  }

  @Test
  void reloadsTheFolderAndKeepsTheConfigurationOnAnInvalidChange() throws Exception {
    try (EnvoyTestServer changing = EnvoyTestServer.with(FILE)) {
      changing.ask("d", "day=1");
      Files.writeString(
          changing.folder.resolve("config.yaml"), FILE.replace("unit: 10,", "unit: 20,"));
      await()
          .atMost(Duration.ofSeconds(5))
          .until(
              () ->
                  changing
                          .ask("d", "look=1", "day=2")
                          .getStatuses(1)
                          .getCurrentLimit()
                          .getRequestsPerUnit()
                      == 20);
      assertThat(changing.ask("d", "day=1").getStatuses(0).getLimitRemaining()).isEqualTo(18);
      Files.writeString(changing.folder.resolve("config.yaml"), "domain: [");
      await()
          .atMost(Duration.ofSeconds(5))
          .until(
              () ->
                  changing
                      .http
                      .admin("/metrics")
                      .body()
                      .contains("weir_envoy_config_loads_total{outcome=\"error\"} 1.0"));
      assertThat(changing.ask("d", "day=1").getStatuses(0).getLimitRemaining()).isEqualTo(17);
    }
  }
}
