package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.testkit.process.RedisServer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Envoy limits are leased by their accuracy, and not at all without one. */
class EnvoyLeasesTest {
  private static final String FILE =
      """
      domain: d
      descriptors:
        - key: k
          rate_limit:
            { unit: hour, requests_per_unit: 1, algorithm: token-bucket, burst: 10000%s }
      """;
  private static final String EXACT = FILE.formatted("");
  private static final String LENDING = FILE.formatted(", accuracy: 1%");
  private static final int CALLS = 400;

  /** Bytes of a bucket's state: three numbers; with leases three more. */
  private static final long PLAIN = 24;

  private static final long LENT = 48;

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private EnvoyTestServer server(String file) {
    return EnvoyTestServer.with(
        file, config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))));
  }

  private static void call(EnvoyTestServer server) {
    for (int i = 0; i < CALLS; i++) {
      server.ask("d", "k=1");
    }
  }

  private long stateSize() {
    List<?> keys = (List<?>) redis.command("KEYS", "*:d.k:*");
    assertThat(keys).hasSize(1);
    return (Long) redis.command("STRLEN", (String) keys.get(0));
  }

  @Test
  void leasesAreReturnedWhenFilesChange() throws Exception {
    try (EnvoyTestServer server = server(LENDING)) {
      call(server);
      assertThat(stateSize()).isEqualTo(LENT);
      assertThat(server.http.admin("/metrics").body())
          .containsPattern("weir_leased_tokens\\{rule=\"d.k\"} [1-9]")
          .containsPattern("weir_lease_refills_total\\{rule=\"d.k\"} [1-9]")
          .contains("weir_over_admission_ratio{rule=\"d.k\"}")
          .contains("weir_lease_refills_total{rule=\"pay\"}");
      Files.writeString(server.folder.resolve("config.yaml"), LENDING + "# changed\n");
      await().atMost(Duration.ofSeconds(10)).until(() -> stateSize() == PLAIN);
      assertThat(server.ask("d", "k=1").getStatuses(0).getLimitRemaining())
          .isEqualTo(10_000 - CALLS - 1);
    }
  }

  @Test
  void noLeasesWithoutAnAccuracy() {
    try (EnvoyTestServer one = server(EXACT);
        EnvoyTestServer other = server(EXACT)) {
      call(one);
      assertThat(stateSize()).isEqualTo(PLAIN);
      assertThat(other.ask("d", "k=1").getStatuses(0).getLimitRemaining())
          .isEqualTo(10_000 - CALLS - 1);
    }
  }
}
