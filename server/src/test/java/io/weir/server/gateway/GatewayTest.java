package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.TlsSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.Http2Client;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.TlsFiles;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class GatewayTest {
  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  private static HttpResponse<String> future(CompletableFuture<HttpResponse<String>> answer)
      throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }

  @Test
  void forwardsARequestAndItsResponse() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      HttpResponse<String> answer =
          gateway.client.send(
              gateway
                  .request("/a/b?x=1&y=%2F")
                  .method("PATCH", HttpRequest.BodyPublishers.ofString("some body"))
                  .header("X-Mine", "1")
                  .build(),
              BodyHandlers.ofString());
      JsonObject echo = new JsonObject(answer.body());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("x-upstream")).hasValue("echo");
      assertThat(echo.getString("method")).isEqualTo("PATCH");
      assertThat(echo.getString("uri")).isEqualTo("/a/b?x=1&y=%2F");
      assertThat(echo.getString("body")).isEqualTo("some body");
      assertThat(echo.getString("host")).isEqualTo("127.0.0.1:" + gateway.port());
      assertThat(echo.getJsonObject("headers").getString("x-mine")).isEqualTo("1");
      assertThat(echo.getJsonObject("headers").getString("content-length")).isEqualTo("9");
    }
  }

  @Test
  void sendsRateLimitHeadersWhetherAdmittedOrRefused() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: two, key: [ip], limit: 2/h }")) {
      HttpResponse<String> first = gateway.get("/");
      gateway.get("/");
      HttpResponse<String> third = gateway.get("/");

      assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"two\";q=2;w=3600");
      assertThat(first.headers().firstValue("RateLimit").orElseThrow())
          .startsWith("\"two\";r=1;t=");
      assertThat(first.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(third.headers().firstValue("cache-control")).hasValue("no-store");
      assertThat(third.headers().firstValueAsLong("retry-after").orElseThrow())
          .isBetween(1L, 1800L);
      assertThat(new JsonObject(third.body()).getString("rule")).isEqualTo("two");
      assertThat(upstream.paths).hasSize(2);
    }
  }

  @Test
  void servesNothingButForwardedTraffic() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      for (String path :
          List.of("/healthz", "/readyz", "/v1/check", "/metrics", "/v1/limits", "/v1/authorize")) {
        assertThat(gateway.echo(path).getString("uri")).isEqualTo(path);
      }
      assertThat(gateway.server.server.servesDecisions()).isFalse();
    }
  }

  @Test
  void forwardsAnAsteriskOnlyForOptions() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
      assertThat(upstream.paths).contains("*");
      for (String target : List.of("GET *", "OPTIONS b", "GET x:443")) {
        try (RawClient other = gateway.raw()) {
          String head =
              other.send(target + " HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
          assertThat(head).as(target).startsWith("HTTP/1.1 400 ");
        }
      }
    }
  }

  @Test
  void limitsAMethodInAnyCaseAndForwardsItAsSent() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            "{ id: pay, match: { methods: [POST], path: /pay }, key: [method], limit: 2/h }")) {
      for (String line : List.of("post 200", "Post 200", "POST 429", "pOST 429")) {
        String method = line.substring(0, 4);
        try (RawClient raw = gateway.raw()) {
          String answer =
              raw.send(method + " /pay HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
                  .readUntil("\r\n\r\n", 1);
          assertThat(answer).as(method).startsWith("HTTP/1.1 " + line.substring(5) + " ");
        }
      }
      assertThat(gateway.echo("/").getString("method")).isEqualTo("GET");
      assertThat(upstream.methods).startsWith("post", "Post");
    }
  }

  @Test
  void refusesConnectInAnyCase() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      for (String method : List.of("CONNECT", "connect", "Connect")) {
        try (RawClient raw = gateway.raw()) {
          String answer =
              raw.send(method + " /a HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
          assertThat(answer).as(method).startsWith("HTTP/1.1 400 ");
        }
      }
    }
  }

  @Test
  void cancelsTheUpstreamRequestWhenTheClientDisconnects() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: three, key: [], limit: 3/h }")) {
      try (RawClient raw = gateway.raw()) {
        raw.send("GET /silent HTTP/1.1\r\nHost: x\r\n\r\n");
        await().until(() -> upstream.paths.contains("/silent"));
      }
      await().until(() -> upstream.brokenOff.get() == 1);
      gateway.get("/");
      HttpResponse<String> third = gateway.get("/");

      assertThat(third.headers().firstValue("RateLimit-Remaining")).hasValue("0"); // it was charged
    }
  }

  @Test
  void sendsRequestsToTheUpstreamOfTheirPrefix() throws Exception {
    try (EchoUpstream api = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front ->
                    front.gateway(
                        front
                            .gateway()
                            .upstreams(
                                List.of(
                                    GatewaySettings.Upstream.of("/api", api.url()),
                                    GatewaySettings.Upstream.of("/api/old", upstream.url())))),
                ConnectionTracker.TICK)) {
      gateway.get("/api");
      gateway.get("/api/x");
      gateway.get("/api/old/y");
      HttpResponse<String> nowhere = gateway.get("/apis");

      assertThat(api.paths).containsExactly("/api", "/api/x");
      assertThat(upstream.paths).containsExactly("/api/old/y");
      assertThat(nowhere.statusCode()).isEqualTo(404);
      assertThat(nowhere.body()).contains("no upstream for this path");
    }
  }

  @Test
  void finishesExchangesInFlightWhenItStops() throws Exception {
    TestGateway gateway = TestGateway.before(upstream.url());
    CompletableFuture<HttpResponse<String>> held =
        gateway.client.sendAsync(gateway.request("/held").build(), BodyHandlers.ofString());
    await().until(() -> upstream.paths.contains("/held"));
    CompletableFuture<Void> closing = CompletableFuture.runAsync(gateway::close);
    await().until(() -> refusesConnections(gateway.port()));
    upstream.release.complete();

    assertThat(future(held).body()).isEqualTo("held");
    closing.get(20, TimeUnit.SECONDS);
  }

  private static boolean refusesConnections(int port) throws java.io.IOException {
    try (RawClient socket = new RawClient(port)) {
      return false;
    } catch (java.net.ConnectException e) {
      return true;
    }
  }

  @Test
  void keepsConnectionsOpenOnBothSides() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      for (int i = 0; i < 5; i++) {
        assertThat(raw.send("GET /n HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 2))
            .startsWith("HTTP/1.1 200");
      }
      assertThat(
              raw.send("POST /n HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
                  .readUntil("}", 2))
          .contains("\"body\":\"ok\"");
      assertThat(upstream.connections).hasValue(1);
    }
  }

  @Test
  void answersHeadWithoutABody() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String head = raw.send("HEAD /big?mb=1 HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);

      assertThat(head).startsWith("HTTP/1.1 200").containsIgnoringCase("content-length: 1048576");
      assertThat(raw.send("GET /n HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 2))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void forwardsTrailers() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer = raw.send("GET /trailer HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 2);

      assertThat(answer).contains("body").containsIgnoringCase("x-sum: 42");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void supportsHttp2OnBothSides(String scheme) throws Exception {
    try (TestGateway gateway = TestGateway.before(scheme + "://127.0.0.1:" + upstream.port());
        Http2Client client = new Http2Client()) {
      Http2Client.Answer get =
          EnvoyTestServer.await(
              client.send(gateway.port(), HttpMethod.GET, "/x?y", Buffer.buffer()));
      Http2Client.Answer post =
          EnvoyTestServer.await(
              client.send(gateway.port(), HttpMethod.POST, "/x", Buffer.buffer(new byte[100_000])));
      JsonObject echo = new JsonObject(post.body());

      assertThat(get.version()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(new JsonObject(get.body()).getString("uri")).isEqualTo("/x?y");
      assertThat(get.headers().get("ratelimit-policy")).isNotNull();
      assertThat(echo.getInteger("size")).isEqualTo(100_000);
      assertThat(echo.getString("version")).isEqualTo(scheme.equals("h2c") ? "HTTP_2" : "HTTP_1_1");
    }
  }

  @Test
  void supportsTls() throws Exception {
    try (TlsFiles files = TlsFiles.create();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front ->
                    front.tls(
                        new TlsSettings(
                            files.serverCertificate(), files.serverKey(), Set.of("gateway"))),
                ConnectionTracker.TICK)) {
      HttpClient client = HttpClient.newBuilder().sslContext(files.strangerContext()).build();
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + gateway.port() + "/a"))
                  .build(),
              BodyHandlers.ofString());

      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(
              new JsonObject(answer.body()).getJsonObject("headers").getString("x-forwarded-proto"))
          .isEqualTo("https");
    }
  }
}
