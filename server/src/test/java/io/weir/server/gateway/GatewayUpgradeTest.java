package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.GatewaySettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.listen.ListenerGroup;
import io.weir.testkit.process.TlsFiles;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets to upstreams that offer or use HTTP/2, and to upstreams that decline. */
@Timeout(60)
class GatewayUpgradeTest {
  private static final String HANDSHAKE =
      "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
          + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

  private static final int CONNECTIONS = 4;

  @TempDir private Path folder;

  /** Makes the JDK trust this CA like a public one while {@code work} runs. */
  private void trusting(TlsFiles files, Work work) throws Exception {
    char[] password = "testkit".toCharArray();
    Path file = folder.resolve("trusted.p12");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, password);
    try (InputStream pem = Files.newInputStream(files.ca())) {
      store.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, password);
    }
    Map<String, String> properties =
        Map.of(
            "javax.net.ssl.trustStore", file.toString(),
            "javax.net.ssl.trustStorePassword", "testkit",
            "javax.net.ssl.trustStoreType", "PKCS12");
    try {
      properties.forEach(System::setProperty);
      work.run();
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static String echoed(TestGateway gateway, String text) throws Exception {
    CompletableFuture<String> message = new CompletableFuture<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            message.complete(text.toString());
            return null;
          }
        };
    WebSocket socket =
        gateway
            .client
            .newWebSocketBuilder()
            .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + "/socket"), listener)
            .get(20, TimeUnit.SECONDS);
    socket.sendText(text, true);
    try {
      return message.get(20, TimeUnit.SECONDS);
    } finally {
      socket.abort();
    }
  }

  @Test
  void usesHttp11OverTlsEvenIfHttp2IsOffered() throws Exception {
    try (TlsFiles files = TlsFiles.create();
        EchoUpstream upstream = EchoUpstream.secure(files)) {
      trusting(
          files,
          () -> {
            try (TestGateway gateway = TestGateway.before("https://127.0.0.1:" + upstream.port())) {
              JsonObject echo = gateway.echo("/x");

              assertThat(echo.getString("version")).isEqualTo("HTTP_1_1");
              assertThat(echoed(gateway, "through TLS")).isEqualTo("through TLS");
            }
          });
    }
  }

  @Test
  void refusesWebSocketsToHttp2Upstreams() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before("h2c://127.0.0.1:" + upstream.port());
        RawClient raw = gateway.raw()) {
      String answer = raw.send(HANDSHAKE).readUntil("}", 1);

      assertThat(answer).startsWith("HTTP/1.1 501").contains("application/problem+json");
      assertThat(upstream.paths).isEmpty();
    }
  }

  /** Without the idle timeout, a tunnel whose peers both vanished would stay open. */
  @Test
  void closesAnIdleTunnel() throws Exception {
    Duration tick = Duration.ofMillis(20); // closed after 65 ticks
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(upstream.url(), front -> front, tick);
        RawClient raw = gateway.raw()) {
      long opened = System.nanoTime();
      assertThat(raw.send(HANDSHAKE).readUntil("\r\n\r\n", 1)).startsWith("HTTP/1.1 101");

      assertThat(raw.readAll()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - opened))
          .isBetween(tick.multipliedBy(40), tick.multipliedBy(65).plusSeconds(10));
    }
  }

  @Test
  void forgetsATunnelThatHasEnded() throws Exception {
    Duration tick = Duration.ofMillis(20);
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(upstream.url(), front -> front, tick)) {
      for (int i = 0; i < 2 * ListenerGroup.LOOPS; i++) {
        try (RawClient raw = gateway.raw()) {
          assertThat(raw.send(HANDSHAKE).readUntil("\r\n\r\n", 1)).startsWith("HTTP/1.1 101");
        }
      }
      for (int i = 0;
          i < 2;
          i++) { // the second starts when the ended ones have been silent for long
        try (RawClient raw = gateway.raw()) {
          raw.send(HANDSHAKE).readUntil("\r\n\r\n", 1);
          assertThat(raw.readAll()).isEmpty();
        }
      }
      assertThat(gateway.metric("weir_internal_errors_total")).isZero();
    }
  }

  /** Bytes that are in flight to the client when the upstream closes are still delivered. */
  @Test
  void deliversAllBytesThatTheUpstreamSentBeforeClosing() throws Exception {
    String head =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    int size = 4 << 20;
    try (RawUpstream upstream = new RawUpstream(head + "x".repeat(size));
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send(HANDSHAKE).readUntil("\r\n\r\n", 1);

      assertThat(raw.countSlowly()).isEqualTo(size);
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"failed\"}")).isZero();
    }
  }

  private static FrontEndSettings few(FrontEndSettings front) {
    GatewaySettings some = front.gateway();
    return front.gateway(
        some.timeouts(some.timeout(), Duration.ofSeconds(2))
            .connections(CONNECTIONS, some.waiting()));
  }

  /** A declined upgrade must release its connection; otherwise a few would exhaust the pool. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void releasesTheConnectionIfTheUpstreamDeclines(boolean chunked) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      HttpServer declining =
          vertx
              .createHttpServer()
              .requestHandler(
                  request ->
                      request.response().setStatusCode(404).setChunked(chunked).end("none here"))
              .listen(0, "127.0.0.1")
              .await();
      try (TestGateway gateway =
              TestGateway.before(
                  "http://127.0.0.1:" + declining.actualPort(),
                  GatewayUpgradeTest::few,
                  ConnectionTracker.TICK);
          RawClient raw = gateway.raw()) {
        for (int i = 0; i < 5 * CONNECTIONS; i++) {
          assertThat(raw.send(HANDSHAKE).readUntil("none here", 1)).contains("HTTP/1.1 404 ");
        }
        raw.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(raw.readUntil("none here", 1)).contains("HTTP/1.1 404 ");
      }
    } finally {
      vertx.close().await();
    }
  }
}
