package io.weir.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.LogCapture;
import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client that is refused repeatedly causes neither load on Redis nor log lines. */
class RefusalFloodTest {
  private static final int BATCH = 100;
  private static final int BATCHES = 500;
  private static final String CALLS =
      "{\"calls\":["
          + String.join(
              ",", Collections.nCopies(BATCH, "{\"path\":\"/\",\"attributes\":{\"user\":\"42\"}}"))
          + "]}";

  private static final int CONNECTIONS = 4;
  private static final int REQUESTS = 2000;
  private static final String AD_HOC = adHoc("{\"key\":\"42\",\"limit\":5,\"window_ms\":3600000}");

  /** Log lines and script calls per second that occur without requests. */
  private static final int BESIDE = 10;

  private static String adHoc(String body) {
    return "POST /ratelimit/check HTTP/1.1\r\nHost: weir\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @Test
  void costsRedisAndTheLogNextToNothing() {
    try (LogCapture log = LogCapture.ofAll();
        RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                ConnectionTracker.TICK,
                "{ id: login, key: [user], limit: 5/h, accuracy: exact }")) {
      server.post("/v1/check/batch", CALLS);
      log.forget();
      long callsBefore = redis.scriptCalls();
      long start = System.nanoTime();

      int refused = 0;
      for (int i = 0; i < BATCHES; i++) {
        String answers = server.post("/v1/check/batch", CALLS).body();
        refused +=
            (int)
                new JsonObject(answers)
                    .getJsonArray("decisions").stream()
                        .filter(one -> !((JsonObject) one).getBoolean("allowed"))
                        .count();
      }

      long seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;
      assertThat(refused).isEqualTo(BATCH * BATCHES);
      assertThat(redis.scriptCalls() - callsBefore).isLessThanOrEqualTo(BESIDE * seconds);
      assertThat(log.messages()).hasSizeLessThanOrEqualTo(2);
    }
  }

  @Test
  void costsRedisNextToNothingForAdHocLimitsOnAllLoops() throws IOException {
    List<RawClient> clients = new ArrayList<>();
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                ConnectionTracker.TICK,
                "{ id: other, key: [user], limit: 5/h }")) {
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(new RawClient(server));
      }
      for (int i = 0; i < 5 + CONNECTIONS; i++) {
        clients.get(i % CONNECTIONS).send(AD_HOC).readUntil("}", 1);
      }
      long callsBefore = redis.scriptCalls();
      long start = System.nanoTime();

      for (int i = 0; i < REQUESTS; i++) {
        String answer = clients.get(i % CONNECTIONS).send(AD_HOC).readUntil("}", 1);
        assertThat(answer).contains("\"allowed\":false");
      }

      long seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;
      assertThat(redis.scriptCalls() - callsBefore).isLessThanOrEqualTo(BESIDE * seconds);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }
}
