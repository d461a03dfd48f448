package io.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SlowProxyTest {
  private static final Duration PATIENT = Duration.ofSeconds(5);
  private static final Duration HASTY = Duration.ofMillis(150);
  private static final List<String> PING = List.of("PING");
  private static RedisServer redis;

  private final SlowProxy proxy = SlowProxy.before(redis);

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @AfterEach
  void leavesNoThreadBehind() {
    proxy.close();
    assertThat(FreePorts.canBind(proxy.port())).isTrue();
    await()
        .atMost(PATIENT)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("weir-proxy")));
  }

  @Test
  void forwardsBothWays() throws Exception {
    try (RespClient client = RespClient.connect(proxy.port(), PATIENT)) {
      String large = "x".repeat(1 << 20);
      assertThat(client.call(List.of("SET", "large", large))).isEqualTo("OK");
      assertThat(client.call(List.of("GET", "large"))).isEqualTo(large);
      assertThat(proxy.connections()).isEqualTo(1);
    }
    await().atMost(PATIENT).until(() -> proxy.connections() == 0);
  }

  @Test
  void delaysEachDirection() throws Exception {
    try (RespClient client = RespClient.connect(proxy.port(), PATIENT)) {
      proxy.delay(Duration.ofMillis(80), Duration.ofMillis(40));
      long start = System.nanoTime();
      client.call(PING);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(119));
    }
  }

  @Test
  void forwardsNothingWhenStalledAndEverythingWhenResumed() throws Exception {
    try (RespClient patient = RespClient.connect(proxy.port(), PATIENT);
        RespClient client = RespClient.connect(proxy.port(), HASTY)) {
      patient.call(PING);
      proxy.stall();
      assertThatThrownBy(() -> client.call(List.of("INCR", "stalled")))
          .isInstanceOf(SocketTimeoutException.class);
      try (RespClient other = RespClient.connect(proxy.port(), HASTY)) {
        assertThatThrownBy(() -> other.call(PING)).isInstanceOf(SocketTimeoutException.class);
      }
      proxy.resume();
      await().atMost(PATIENT).until(() -> redis.command("EXISTS", "stalled").equals(1L));
    }
  }

  @Test
  void cutClosesOpenConnectionsAndAcceptsNewOnes() throws Exception {
    try (RespClient client = RespClient.connect(proxy.port(), PATIENT)) {
      client.call(PING);
      proxy.cut();
      assertThatThrownBy(() -> client.call(PING))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
    }
    try (RespClient client = RespClient.connect(proxy.port(), PATIENT)) {
      assertThat(client.call(PING)).isEqualTo("PONG");
    }
  }

  @Test
  void refuseKeepsOpenConnectionsUntilResume() throws Exception {
    try (RespClient client = RespClient.connect(proxy.port(), PATIENT)) {
      client.call(PING);
      proxy.refuse();
      assertThatThrownBy(() -> RespClient.connect(proxy.port(), PATIENT))
          .isInstanceOf(ConnectException.class);
      assertThat(client.call(PING)).isEqualTo("PONG");
      proxy.resume();
      try (RespClient other = RespClient.connect(proxy.port(), PATIENT)) {
        assertThat(other.call(PING)).isEqualTo("PONG");
      }
    }
  }

  @Test
  void aServerThatIsDownLooksLikeAClosedConnection() throws Exception {
    try (SlowProxy nowhere = SlowProxy.before(FreePorts.free());
        RespClient client = RespClient.connect(nowhere.port(), PATIENT)) {
      assertThatThrownBy(() -> client.call(PING))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
    }
  }
}
