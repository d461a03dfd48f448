package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.config.GatewaySettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import java.net.URI;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exchanges that end in an unusual way release their permit, and do not delay a stop. */
@Timeout(60)
class GatewayPermitTest {
  private static final String ONE_AT_ONCE =
      "{ id: once, key: [], limit: { algorithm: concurrency, permits: 1 } }";
  private static final String WORK =
      "{ id: work, key: [], cost: { response_header: X-Cost, reserve: 10 }, limit: 100/h }";

  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  private TestGateway gateway(Duration tick, String... rules) {
    return TestGateway.before(
        upstream.url(), front -> front.gateway(impatient(front.gateway())), tick, rules);
  }

  private static GatewaySettings impatient(GatewaySettings usual) {
    return new GatewaySettings(
        usual.address(),
        usual.upstreams(),
        Duration.ofSeconds(40),
        Duration.ofSeconds(40),
        100,
        usual.connections(),
        usual.waiting(),
        Duration.ofMillis(300),
        usual.decisions());
  }

  private static void awaitPermit(TestGateway gateway) {
    await().until(() -> gateway.get("/x").statusCode() == 200);
  }

  @Test
  void whenAClientResetsItsStream() throws Exception {
    try (TestGateway gateway = gateway(ConnectionTracker.TICK, ONE_AT_ONCE);
        RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.request(1, "x", "/silent");
      await().until(() -> upstream.paths.contains("/silent"));
      assertThat(gateway.get("/x").statusCode()).isEqualTo(429);
      client.write(RawHttp2Connection.RESET, 0, 1, new byte[4]);

      awaitPermit(gateway);
      await().until(() -> upstream.brokenOff.get() == 1);
    }
  }

  @Test
  void afterATimeoutOrATooLargeBody() throws Exception {
    try (TestGateway gateway = gateway(Duration.ofMillis(10), ONE_AT_ONCE)) {
      String head = "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
      awaitPermit(gateway);
      await().until(() -> answer(gateway, head + "1\r\na\r\n").startsWith("HTTP/1.1 408"));
      awaitPermit(gateway);
      String large = "80\r\n" + "x".repeat(0x80) + "\r\n";
      await().until(() -> answer(gateway, head + large).startsWith("HTTP/1.1 413"));
      awaitPermit(gateway);
      String silent = "GET /silent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      await().until(() -> answer(gateway, silent).startsWith("HTTP/1.1 504"));
      awaitPermit(gateway);
    }
  }

  private static String answer(TestGateway gateway, String request) throws Exception {
    try (RawClient raw = gateway.raw()) {
      return raw.send(request).readUntil("}", 1);
    }
  }

  @Test
  void besideACostOfTheResponse() throws Exception {
    try (TestGateway gateway = gateway(ConnectionTracker.TICK, ONE_AT_ONCE, WORK)) {
      assertThat(gateway.get("/cost?is=37").statusCode()).isEqualTo(200);
      awaitPermit(gateway);
      await().until(() -> gateway.get("/cost?is=1000").statusCode() == 200);
      await().until(() -> gateway.get("/x").body().contains("\"rule\":\"work\"")); // in debt
    }
  }

  @Test
  void whenTheGatewayStopsUnderAWebSocket() throws Exception {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            ended.complete(null);
            return CompletableFuture.completedStage(null);
          }

          @Override
          public void onError(WebSocket socket, Throwable error) {
            ended.complete(null);
          }
        };
    TestGateway gateway = gateway(ConnectionTracker.TICK, ONE_AT_ONCE);
    gateway
        .client
        .newWebSocketBuilder()
        .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + "/socket"), listener)
        .get(10, TimeUnit.SECONDS);
    long begun = System.nanoTime();
    gateway.close();

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    ended.get(5, TimeUnit.SECONDS);
  }
}
