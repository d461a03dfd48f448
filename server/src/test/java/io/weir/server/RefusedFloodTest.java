package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Somebody who is refused again and again fills neither Redis' time nor the log. */
class RefusedFloodTest {
  private static final int BATCH = 100;
  private static final int BATCHES = 500;
  private static final String CALLS =
      "{\"calls\":["
          + String.join(
              ",", Collections.nCopies(BATCH, "{\"path\":\"/\",\"attributes\":{\"user\":\"42\"}}"))
          + "]}";

  /** Lines and script calls that come of time passing, each second. */
  private static final int BESIDE = 10;

  @Test
  void costsRedisAndTheLogNextToNothing() {
    try (LogLines log = LogLines.ofAll();
        RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                Connections.TICK,
                "{ id: login, key: [user], limit: 5/h, accuracy: exact }")) {
      server.post("/v1/check/batch", CALLS);
      log.said.clear();
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
      assertThat(log.said).hasSizeLessThanOrEqualTo(2);
    }
  }
}
