package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.pollinterval.IterativePollInterval.iterative;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.NginxServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The gateway in front of a real nginx. */
@Tag("nginx")
@Timeout(120)
class NginxGatewayTest {
  @TempDir Path folder;

  /** Serves files, accepts uploads, echoes the requested path, and proxies WebSockets. */
  private NginxServer nginx(int socketPort) throws Exception {
    // nginx may run as another user.
    assertThat(folder.toFile().setReadable(true, false)).isTrue();
    assertThat(folder.toFile().setExecutable(true, false)).isTrue();
    int port = FreePorts.free();
    return NginxServer.start(
        port,
        """
        log_format ended '$request_uri $status $body_bytes_sent';
        server {
          access_log %s/ended ended;
          listen 127.0.0.1:%d;
          keepalive_timeout 1s;
          absolute_redirect off;
          client_max_body_size 100m;
          root %s;
          location /said { return 200 "$request_method $request_uri $http_host"; }
          location /put/ { dav_methods PUT; client_body_temp_path %s/temp; }
          location /slow { limit_rate 200k; try_files /big =404; }
          location /socket {
            proxy_pass http://127.0.0.1:%d;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection "upgrade";
          }
        }
        """
            .formatted(folder, port, folder, folder, socketPort));
  }

  private byte[] someFile(String name, int size) throws Exception {
    byte[] bytes = new byte[size];
    new Random(7).nextBytes(bytes);
    Files.write(folder.resolve(name), bytes);
    return bytes;
  }

  private static HttpResponse<byte[]> bytes(TestGateway gateway, HttpRequest.Builder request)
      throws Exception {
    return gateway.client.send(request.build(), BodyHandlers.ofByteArray());
  }

  @Test
  void servesFilesAndRanges() throws Exception {
    byte[] big = someFile("big", 30 << 20);
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      HttpResponse<byte[]> whole = bytes(gateway, gateway.request("/big"));
      HttpResponse<byte[]> part =
          bytes(gateway, gateway.request("/big").header("Range", "bytes=100-199"));
      HttpResponse<byte[]> head =
          bytes(
              gateway, gateway.request("/big").method("HEAD", HttpRequest.BodyPublishers.noBody()));
      HttpResponse<byte[]> same =
          bytes(
              gateway,
              gateway
                  .request("/big")
                  .header("If-None-Match", whole.headers().firstValue("etag").orElseThrow()));

      assertThat(whole.body()).isEqualTo(big);
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.body()).isEqualTo(java.util.Arrays.copyOfRange(big, 100, 200));
      assertThat(head.body()).isEmpty();
      assertThat(head.headers().firstValueAsLong("content-length")).hasValue(big.length);
      assertThat(same.statusCode()).isEqualTo(304);
      assertThat(same.body()).isEmpty();
    }
  }

  /** nginx redirects {@code /docs} to {@code /docs/}, for ever if it sees no slash. */
  @Test
  void servesTheIndexOfAFolder() throws Exception {
    Path docs = Files.createDirectory(folder.resolve("docs"));
    Files.writeString(docs.resolve("index.html"), "all about it");
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      HttpResponse<String> redirect = gateway.get("/docs");
      HttpResponse<String> direct = gateway.get("/docs/");

      assertThat(redirect.statusCode()).isEqualTo(301);
      assertThat(redirect.headers().firstValue("location")).hasValue("/docs/");
      assertThat(direct.statusCode()).isEqualTo(200);
      assertThat(direct.body()).isEqualTo("all about it");
    }
  }

  @Test
  void uploadsFiles() throws Exception {
    byte[] big = someFile("source", 20 << 20);
    Files.createDirectory(folder.resolve("put"));
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      HttpResponse<byte[]> announced =
          bytes(
              gateway, gateway.request("/put/a").PUT(HttpRequest.BodyPublishers.ofByteArray(big)));
      HttpResponse<byte[]> chunked =
          bytes(
              gateway,
              gateway
                  .request("/put/b")
                  .PUT(
                      HttpRequest.BodyPublishers.ofInputStream(
                          () -> new java.io.ByteArrayInputStream(big))));

      assertThat(announced.statusCode()).isEqualTo(201);
      assertThat(chunked.statusCode()).isEqualTo(201);
      assertThat(Files.readAllBytes(folder.resolve("put/a"))).isEqualTo(big);
      assertThat(Files.readAllBytes(folder.resolve("put/b"))).isEqualTo(big);
    }
  }

  @Test
  void requestsTheMatchedPath() throws Exception {
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri());
        RawClient raw = gateway.raw()) {
      raw.send("GET /x/%2e%2e//s%61id/;a=b?q=%2F HTTP/1.1\r\nHost: api.example.com\r\n\r\n");

      assertThat(raw.readUntil("api.example.com", 1)).contains("GET /said/?q=%2F api.example.com");
    }
  }

  @Test
  void neverFailsOnAConnectionThatNginxHasClosed() throws Exception {
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(5))
          .pollDelay(Duration.ZERO)
          .pollInterval( // about the time when nginx closes it
              iterative(before -> before.plusMillis(10), Duration.ofMillis(990)))
          .until(() -> gateway.get("/said").statusCode() == 200);
    }
  }

  @Test
  void answers502WhenNginxIsKilledAnd504WhenItHangs() throws Exception {
    try (NginxServer nginx = nginx(9);
        TestGateway gateway =
            TestGateway.before(
                nginx.uri(),
                front ->
                    front.gateway(
                        front.gateway().timeouts(Duration.ofSeconds(10), Duration.ofSeconds(10))),
                Duration.ofMillis(100))) {
      assertThat(gateway.get("/said").statusCode()).isEqualTo(200);
      nginx.freeze();
      assertThat(gateway.get("/said").statusCode()).isEqualTo(504);
      nginx.thaw();
      await().until(() -> gateway.get("/said").statusCode() == 200);
      nginx.kill();
      assertThat(gateway.get("/said").statusCode()).isEqualTo(502);
    }
  }

  @Test
  void abortsAResponseWhenNginxIsKilled() throws Exception {
    someFile("big", 20 << 20);
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri());
        RawClient raw = gateway.raw()) {
      raw.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
      nginx.kill();

      assertThat(raw.readAll().length()).isLessThan(20 << 20); // and ends
    }
  }

  @Test
  void cancelsTheUpstreamRequestAndChargesTheClient() throws Exception {
    someFile("big", 20 << 20);
    try (NginxServer nginx = nginx(9);
        TestGateway gateway =
            TestGateway.before(
                nginx.uri(),
                "{ id: hour, key: [], limit: 2/h }",
                "{ id: once, key: [], limit: { algorithm: concurrency, permits: 1 } }")) {
      try (RawClient raw = gateway.raw()) {
        raw.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
        assertThat(gateway.get("/said").body()).contains("\"rule\":\"once\"");
      }
      await().until(() -> gateway.get("/said").statusCode() == 200);

      // nginx would take more than a minute to send all of it.
      assertThat(ended("/slow")).matches("/slow 200 [0-9]{1,7}");
      assertThat(gateway.get("/said").body()).contains("\"rule\":\"hour\"");
    }
  }

  @Test
  void leavesNoPartOfACancelledUpload() throws Exception {
    Files.createDirectory(folder.resolve("put"));
    try (NginxServer nginx = nginx(9);
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      try (RawClient raw = gateway.raw()) {
        raw.send("PUT /put/c HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n")
            .send(new byte[1 << 20]);
      }

      assertThat(ended("/put/c")).startsWith("/put/c 400");
      assertThat(folder.resolve("put/c")).doesNotExist();
    }
  }

  /** The line that nginx logged at the end of a request. */
  private String ended(String path) {
    return await()
        .until(
            () ->
                Files.readAllLines(folder.resolve("ended")).stream()
                    .filter(line -> line.startsWith(path + " "))
                    .findFirst(),
            java.util.Optional::isPresent)
        .orElseThrow();
  }

  @Test
  void forwardsWebSockets() throws Exception {
    CompletableFuture<String> message = new CompletableFuture<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            message.complete(text.toString());
            return null;
          }
        };
    try (EchoUpstream echo = new EchoUpstream();
        NginxServer nginx = nginx(echo.port());
        TestGateway gateway = TestGateway.before(nginx.uri())) {
      WebSocket socket =
          gateway
              .client
              .newWebSocketBuilder()
              .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + "/socket"), listener)
              .get(20, TimeUnit.SECONDS);
      socket.sendText("through three", true);

      assertThat(message.get(20, TimeUnit.SECONDS)).isEqualTo("through three");
      socket.abort();
    }
  }
}
