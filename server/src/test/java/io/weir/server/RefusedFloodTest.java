package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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

  private final Logger log = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          said.add(event.toString());
        }
      };

  @BeforeEach
  void listen() {
    listener.start();
    log.addAppender(listener);
  }

  @AfterEach
  void stop() {
    log.detachAppender(listener);
  }

  @Test
  void costsRedisAndTheLogNextToNothing() {
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.with(
                config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
                Connections.TICK,
                "{ id: login, key: [user], limit: 5/h, accuracy: exact }")) {
      server.post("/v1/check/batch", CALLS);
      said.clear();
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
      assertThat(said).hasSizeLessThanOrEqualTo(2);
    }
  }
}
