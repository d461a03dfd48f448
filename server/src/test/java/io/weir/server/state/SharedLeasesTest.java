package io.weir.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisOptions;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.RedisServer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers lease a hot key's tokens in advance, and return unused ones. */
@Tag("process")
class SharedLeasesTest {
  private static final String HOT = "{ id: hot, key: [user], limit: { rate: 1/h, burst: 10000 } }";
  private static final String EXACT =
      "{ id: hot, key: [user], limit: { rate: 1/h, burst: 10000 }, accuracy: exact }";
  private static final int CALLS = 400;

  /** Script calls of the servers' own heartbeats. */
  private static final int BESIDE = 40;

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

  private TestServer server(String rule) {
    return TestServer.with(
        config -> config.redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
        ConnectionTracker.TICK,
        rule);
  }

  private static long remaining(TestServer server, int cost) {
    return server
        .check("{\"path\":\"/\",\"attributes\":{\"user\":\"42\"},\"cost\":" + cost + "}")
        .getLong("remaining");
  }

  private static void call(TestServer server) {
    for (int i = 0; i < CALLS; i++) {
      remaining(server, 1);
    }
  }

  private long stateSize() {
    List<?> keys = (List<?>) redis.command("KEYS", "*:hot:*");
    assertThat(keys).hasSize(1);
    return (Long) redis.command("STRLEN", (String) keys.get(0));
  }

  @Test
  void leasesAreReturnedExactlyWhenRulesChangeAndOnClose() throws Exception {
    try (TestServer one = server(HOT)) {
      long before = redis.scriptCalls();
      call(one);
      assertThat(redis.scriptCalls() - before).isLessThan(CALLS / 4);
      assertThat(stateSize()).isEqualTo(LENT);

      Files.writeString(one.rules, TestServer.document(HOT.replace("hot,", "hot, owner: me,")));
      await().atMost(Duration.ofSeconds(5)).until(() -> stateSize() == PLAIN);

      call(one);
      assertThat(stateSize()).isEqualTo(LENT);
    }
    assertThat(stateSize()).isEqualTo(PLAIN);
    try (TestServer other = server(HOT)) {
      assertThat(remaining(other, 0)).isEqualTo(10_000 - 2 * CALLS);
    }
  }

  @Test
  void anExactRuleHasNoLeases() {
    try (TestServer one = server(EXACT);
        TestServer other = server(EXACT)) {
      long before = redis.scriptCalls();
      call(one);
      assertThat(redis.scriptCalls() - before).isBetween((long) CALLS, (long) CALLS + BESIDE);
      assertThat(stateSize()).isEqualTo(PLAIN);
      assertThat(remaining(other, 1)).isEqualTo(10_000 - CALLS - 1);
    }
  }
}
