package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.testkit.process.TlsFiles;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** WebSockets to upstreams that could speak, or do speak, HTTP/2. */
@Timeout(60)
class GatewayUpgradeTest {
  @TempDir private Path folder;

  /** Has the JDK trust this authority, as it would trust a public one, while {@code work} runs. */
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
    CompletableFuture<String> heard = new CompletableFuture<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence said, boolean last) {
            heard.complete(said.toString());
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
      return heard.get(20, TimeUnit.SECONDS);
    } finally {
      socket.abort();
    }
  }

  @Test
  void speaksHttp11OverTlsAlsoIfHttp2IsOffered() throws Exception {
    try (TlsFiles files = TlsFiles.create();
        EchoUpstream upstream = EchoUpstream.secure(files)) {
      trusting(
          files,
          () -> {
            try (TestGateway gateway = TestGateway.before("https://127.0.0.1:" + upstream.port())) {
              JsonObject said = gateway.echo("/x");

              assertThat(said.getString("version")).isEqualTo("HTTP_1_1");
              assertThat(echoed(gateway, "through TLS")).isEqualTo("through TLS");
            }
          });
    }
  }

  @Test
  void saysAtOnceThatWebSocketsDoNotPassOverHttp2() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before("h2c://127.0.0.1:" + upstream.port());
        RawClient raw = gateway.raw()) {
      String answer =
          raw.send(
                  "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                      + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
              .readUntil("}", 1);

      assertThat(answer).startsWith("HTTP/1.1 501").contains("application/problem+json");
      assertThat(upstream.paths).isEmpty();
    }
  }
}
