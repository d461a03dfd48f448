package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.server.AdminRoutes;
import io.weir.server.config.SharedStoreSettings;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.LogCapture;
import io.weir.testkit.process.RedisServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A server logs advice on hot keys by itself, with or without scrapes. */
class HotKeyLogServerTest {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final int BATCH = 100;
  private static final String CALLS =
      "{\"calls\":["
          + String.join(
              ",", Collections.nCopies(BATCH, "{\"path\":\"/\",\"attributes\":{\"user\":\"42\"}}"))
          + "]}";

  @Test
  void logsAdviceWithoutScrapes() {
    try (LogCapture log = LogCapture.of(HotKeyLogger.class);
        RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                TICK,
                "{ id: hot, key: [user], limit: 1000000/s, accuracy: exact }")) {
      callUntilLogged(server, log);
      assertThat(log.messages().get(0))
          .startsWith("rule hot: one key causes about ")
          .doesNotContain("shards");
    }
  }

  private static void callUntilLogged(TestServer server, LogCapture log) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              assertThat(server.post("/v1/check/batch", CALLS).statusCode()).isEqualTo(200);
              return !log.messages().isEmpty();
            });
  }

  @Test
  void suggestsNoRedisToARuleThatHasOne() {
    try (LogCapture log = LogCapture.of(HotKeyLogger.class);
        RedisServer redis = RedisServer.start()) {
      RedisOptions there = RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2));
      SharedStoreSettings pinned =
          SharedStoreSettings.NONE
              .redis(there)
              .hot(new SharedStoreSettings.HotRules(there, Set.of("hot")));
      try (TestServer server =
          TestServer.with(
              config -> config.shared(pinned),
              TICK,
              "{ id: hot, key: [user], limit: { rate: 1000000/s, burst: 199 }, accuracy: exact }")) {
        callUntilLogged(server, log);
        String token = server.server.generatedAdminToken().orElseThrow();
        HttpRequest.Builder report =
            HttpRequest.newBuilder(
                URI.create("http://" + server.server.admin() + AdminRoutes.HOT_KEYS));

        assertThat(log.messages().get(0)).contains("accuracy: 1%").doesNotContain("store.hot");
        assertThat(server.send(report.header("Authorization", "Bearer " + token)).body())
            .contains("accuracy: 1% would")
            .doesNotContain("store.hot");
      }
    }
  }
}
