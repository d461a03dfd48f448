package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.server.config.IdentitySettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the heads of requests and responses are forwarded: path, framing and headers. */
@Timeout(60)
class GatewayHeadTest {
  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/a/../b, /b",
    "//b, /b",
    "/%62, /b",
    "/b/, /b/",
    "//b/, /b/",
    "/b;x=1, /b;x=1",
    "/b;x=1/, /b;x=1/",
    "/b/;x=1, /b/",
    "/%2e%2e/b, /b",
    "/x/%2E%2e/b, /b",
    "/%252e/b, /%252e/b",
    "/a\\..\\b, /b",
    "/b?q=//x/../, /b?q=//x/../",
    "http://elsewhere/b, /b",
    "/b/./, /b/",
    "/c/..;x/b, /b",
    "/..;/b, /b",
    "/c;jsessionid=1/../b;y, /b;y"
  })
  void forwardsThePathThatWasMatched(String sent, String forwarded) throws Exception {
    try (TestGateway gateway =
            TestGateway.before(
                upstream.url(), "{ id: b, match: { path: [/b, /%252e/b] }, key: [], limit: 1/h }");
        RawClient raw = gateway.raw()) {
      String first = raw.send("GET " + sent + " HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 2);
      String second = raw.send("GET " + sent + " HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 1);

      assertThat(first).startsWith("HTTP/1.1 200");
      assertThat(upstream.paths).containsExactly(forwarded);
      assertThat(second).startsWith("HTTP/1.1 429");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%2Fb",
        "/a%2fb",
        "/a%5Cb",
        "/a%5cb",
        "/a%00",
        "/%2e%2e%2fb",
        "/..%5c..%5cb",
        "/a/..%3Bx/b"
      })
  void refusesAmbiguousPaths(String path) throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer = raw.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 1);

      assertThat(answer).startsWith("HTTP/1.1 400").contains("application/problem+json");
      assertThat(upstream.paths).isEmpty();
    }
  }

  @Test
  void forwardsTheTrailingSlashOfARedirect() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      HttpResponse<String> redirect = gateway.get("/docs");
      HttpResponse<String> there =
          gateway.get(redirect.headers().firstValue("location").orElseThrow());

      assertThat(redirect.statusCode()).isEqualTo(301);
      assertThat(there.statusCode()).isEqualTo(200);
      assertThat(upstream.paths).containsExactly("/docs", "/docs/");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\na",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n",
        "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"
      })
  void refusesAmbiguousFraming(String request) throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      assertThat(raw.send(request).readUntil("}", 1)).startsWith("HTTP/1.1 400");
      assertThat(upstream.paths).isEmpty();
    }
  }

  @Test
  void forwardsAContentLengthOnlyIfItApplies() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer =
          raw.send(
                  "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n"
                      + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
              .readUntil("}", 2);

      assertThat(answer).contains("\"body\":\"ok\"").contains("\"transfer-encoding\":\"chunked\"");
      assertThat(answer.substring(answer.indexOf("{"))).doesNotContain("content-length");
    }
  }

  @Test
  void dropsHopByHopAndReservedHeadersOfRequests() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer =
          raw.send(
                  "GET / HTTP/1.1\r\nHost: api.example.com\r\nConnection: keep-alive, X-Secret\r\n"
                      + "X-Secret: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\n"
                      + "Upgrade: h9\r\nProxy-Authorization: p\r\nX-Weir-Bypass: token\r\n"
                      + "RateLimit-Limit: 9\r\nRateLimit: 9\r\nX-RateLimit-Limit: 9\r\n"
                      + "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n"
                      + "X-Forwarded-Host: evil\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\n"
                      + "X_Forwarded_For: 6.6.6.6\r\nX_Weir-Bypass: token\r\nX_Other: kept\r\n"
                      + "X-HTTP-Method-Override: DELETE\r\nCookie: a=1\r\nAccept: x\r\n\r\n")
              .readUntil("}", 2);
      JsonObject headers =
          new JsonObject(answer.substring(answer.indexOf("{"))).getJsonObject("headers");

      assertThat(headers.fieldNames())
          .containsExactlyInAnyOrder(
              "host",
              "x-forwarded-for",
              "x-forwarded-proto",
              "x-forwarded-host",
              "x-http-method-override",
              "x_other",
              "cookie",
              "accept");
      assertThat(headers.getString("host")).isEqualTo("api.example.com");
      assertThat(headers.getString("x-forwarded-for")).isEqualTo("127.0.0.1");
      assertThat(headers.getString("x-forwarded-proto")).isEqualTo("http");
      assertThat(headers.getString("x-forwarded-host")).isEqualTo("api.example.com");
    }
  }

  @Test
  void extendsTheForwardingHeadersOfATrustedProxy() throws Exception {
    ClientAddress trusting =
        new ClientAddress("x-forwarded-for", List.of(Cidr.parse("127.0.0.0/8")), 0, 64);
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            front -> front.identity(IdentitySettings.DEFAULT.address(trusting)),
            ConnectionTracker.TICK,
            "{ id: a, key: [ip], limit: 1/h }")) {
      String[] first = {"X-Forwarded-For", "203.0.113.9", "X-Forwarded-Proto", "https"};
      JsonObject headers = gateway.echo("/", first).getJsonObject("headers");

      assertThat(headers.getString("x-forwarded-for")).isEqualTo("203.0.113.9, 127.0.0.1");
      assertThat(headers.getString("x-forwarded-proto")).isEqualTo("https");
      assertThat(gateway.get("/", first).statusCode()).isEqualTo(429);
      assertThat(gateway.get("/", "X-Forwarded-For", "203.0.113.10").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void dropsHopByHopHeadersOfResponses() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: a, key: [], limit: 9/h }")) {
      HttpResponse<String> answer = gateway.get("/hops");

      assertThat(answer.statusCode()).isEqualTo(418);
      assertThat(answer.body()).isEqualTo("teapot");
      assertThat(answer.headers().map())
          .doesNotContainKeys("x-private", "keep-alive", "proxy-authenticate", "connection");
      assertThat(answer.headers().allValues("set-cookie")).containsExactly("a=1", "b=2");
      assertThat(answer.headers().allValues("RateLimit-Limit")).containsExactly("9");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "keep-alive, X-Secret",
    "close, x-secret",
    "X-Secret, keep-alive",
    "a, 'b , X-Secret'"
  })
  void dropsRequestHeadersNamedByAnyConnectionLine(String first, String second) throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer =
          raw.send(
                  "GET / HTTP/1.1\r\nHost: x\r\nConnection: %s\r\nConnection: %s\r\n"
                          .formatted(first, second)
                      + "X-Secret: 1\r\nX-Open: 1\r\n\r\n")
              .readUntil("}", 2);

      assertThat(answer).contains("\"x-open\"").doesNotContain("\"x-secret\"");
    }
  }

  @Test
  void dropsResponseHeadersNamedByAnyConnectionLine() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      HttpResponse<String> answer = gateway.get("/hops-in-lines");

      assertThat(answer.body()).isEqualTo("hops");
      assertThat(answer.headers().map()).doesNotContainKeys("x-private");
    }
  }
}
