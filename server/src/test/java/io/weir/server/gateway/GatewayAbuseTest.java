package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of the gateway itself on size, time and number. */
@Timeout(60)
class GatewayAbuseTest {
  private static final UnaryOperator<FrontEndSettings> SMALL =
      front -> front.gateway(front.gateway().maxBody(100_000));

  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  @Test
  void refusesBodiesThatAreTooLarge() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), SMALL, ConnectionTracker.TICK);
        RawClient announced = gateway.raw();
        RawClient chunked = gateway.raw()) {
      String early =
          announced
              .send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n")
              .readUntil("}", 1);
      chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      String piece = "8000\r\n" + "x".repeat(0x8000) + "\r\n";
      String late = chunked.send(piece + piece + piece + piece).readUntil("}", 1);

      assertThat(early).startsWith("HTTP/1.1 413").contains("larger than 100000 bytes");
      assertThat(late).startsWith("HTTP/1.1 413");
      assertThat(gateway.post("/", "x".repeat(100_000)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void refusesHeadersThatAreTooLarge() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient line = gateway.raw();
        RawClient headers = gateway.raw()) {
      assertThat(line.send("GET /" + "a".repeat(9000) + " HTTP/1.1\r\n\r\n").readAll())
          .contains(" 414 ");
      assertThat(
              headers
                  .send("GET / HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(17_000) + "\r\n\r\n")
                  .readAll())
          .contains(" 431 ");
    }
  }

  @Test
  void doesNotWaitForeverForABody() throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), front -> front, Duration.ofMillis(20));
        RawClient slow = gateway.raw()) {
      String answer =
          slow.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nsome").readAll();

      assertThat(answer).startsWith("HTTP/1.1 408").contains("application/problem+json");
    }
  }

  /**
   * Each byte resets the idle timeout, so a minimum rate protects the connection to the upstream.
   */
  @Test
  void doesNotWaitForeverForABodyThatTrickles() throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), front -> front, Duration.ofMillis(20));
        RawClient slow = gateway.raw()) {
      slow.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      await()
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                slow.send("1\r\nx\r\n");
                return upstream.brokenOff.get() == 1;
              });

      assertThat(slow.readAll()).startsWith("HTTP/1.1 408").contains("too slowly");
    }
  }

  @Test
  void allowsASlowBodyAfterTheResponseStarted() throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), front -> front, Duration.ofMillis(20));
        RawClient slow = gateway.raw()) {
      slow.send("POST /stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      slow.readUntil("first,", 1);
      AtomicInteger pieces = new AtomicInteger();
      await()
          .pollInterval(Duration.ofMillis(50)) // at least two ticks
          .until(
              () -> {
                slow.send("1\r\nx\r\n");
                return pieces.incrementAndGet() == MinBodyRate.FIRST_TICKS;
              });
      slow.send("0\r\n\r\n");
      upstream.release.complete();

      assertThat(slow.readUntil("last", 1)).isNotEmpty();
      assertThat(upstream.brokenOff).hasValue(0);
    }
  }

  @Test
  void doesNotBlameTheUpstreamForAClientThatDoesNotRead() throws Exception {
    UnaryOperator<FrontEndSettings> impatient =
        front ->
            front.gateway(front.gateway().timeouts(Duration.ofSeconds(20), Duration.ofSeconds(20)));
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), impatient, Duration.ofMillis(20));
        RawClient idle = gateway.raw()) {
      idle.send("GET /big?mb=100 HTTP/1.1\r\nHost: x\r\n\r\n");
      await().until(() -> upstream.brokenOff.get() == 1);

      assertThat(idle.readAll().length()).isLessThan(100 << 20); // and ends
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"2xx\"}")).isOne();
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"timeout\"}")).isZero();
    }
  }

  @Test
  void doesNotWaitForeverForHeaders() throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), front -> front, Duration.ofMillis(20));
        RawClient slow = gateway.raw()) {
      assertThat(slow.send("GET / HTTP/1.1\r\nHost: x\r\nA").readAll()).isEmpty();
    }
  }

  @Test
  void throwsTheBodyOfARefusedRequestAway() throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: none, key: [], limit: 0/h }");
        RawClient raw = gateway.raw()) {
      String request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
      assertThat(raw.send(request).readUntil("}", 1)).startsWith("HTTP/1.1 429");
      assertThat(raw.send(request).readUntil("}", 1)).startsWith("HTTP/1.1 429");
      assertThat(
              gateway
                  .client
                  .send(
                      gateway
                          .request("/")
                          .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[300_000]))
                          .build(),
                      BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(429);
      assertThat(upstream.paths).isEmpty();
    }
  }

  /** A slow body is cut off after 2 s, and a large one at once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void doesNotReadTheBodyOfARefusedRequestWithoutEndOverHttp2(boolean flood) throws Exception {
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: none, key: [], limit: 0/h }");
        RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      assertThat(client.head(1, 0, "POST").status(1)).isEqualTo(429);
      if (flood) {
        for (int i = 0; i < 3; i++) {
          client.write(RawHttp2Connection.DATA, 0, 1, new byte[16_384]);
        }
        client.next(RawHttp2Connection.WINDOW_UPDATE, 1);
        for (int i = 0; i < 2; i++) {
          client.write(RawHttp2Connection.DATA, 0, 1, new byte[16_384]);
        }
      } else {
        client.write(RawHttp2Connection.DATA, 0, 1, new byte[1]);
      }

      client.next(RawHttp2Connection.RESET, 1);
      assertThat(client.get(3).status(3)).isEqualTo(429);
    }
  }

  @Test
  void closesAConnectionThatResetsItsStreamsInAFlood() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: count, key: [], limit: 100000/h }")) {
      HttpClientAgent client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      HttpClientConnection connection =
          client
              .connect(new HttpConnectOptions().setHost("127.0.0.1").setPort(gateway.port()))
              .await(10, TimeUnit.SECONDS);
      CountDownLatch closed = new CountDownLatch(1);
      connection.closeHandler(now -> closed.countDown());
      connection.goAwayHandler(now -> closed.countDown());
      for (int i = 0; i < 1000 && closed.getCount() > 0; i++) {
        connection
            .request(new RequestOptions().setURI("/silent"))
            .onSuccess(
                request -> {
                  request.end();
                  request.reset();
                });
      }

      assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
      // Requests that arrived were charged.
      assertThat(gateway.metric("weir_decisions_total{outcome=\"allowed\",rule=\"count\"}"))
          .isBetween(1.0, 999.0);
      assertThat(gateway.get("/x").statusCode()).isEqualTo(200);
    } finally {
      vertx.close().await(10, TimeUnit.SECONDS);
    }
  }
}
