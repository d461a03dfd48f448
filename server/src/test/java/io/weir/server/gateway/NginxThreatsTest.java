package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.server.config.IdentitySettings;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.NginxServer;
import java.net.http.HttpResponse;
import java.util.List;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spellings of paths and addresses that try to get past a limit, with nginx behind the gateway. */
@Tag("nginx")
@Timeout(60)
class NginxThreatsTest {
  private static final String XFF = "X-Forwarded-For";

  private static NginxServer nginx;

  /** Trusts no proxy; {@code /b} may be requested once per case. */
  private static TestGateway strict;

  /** Trusts this machine as a proxy; each address may send one request. */
  private static TestGateway trusting;

  @BeforeAll
  static void start() {
    int port = FreePorts.free();
    nginx =
        NginxServer.start(
            port,
            """
            server {
              listen 127.0.0.1:%d;
              location / { return 200 "$request_method $request_uri from $http_x_forwarded_for."; }
            }
            """
                .formatted(port));
    strict =
        TestGateway.before(
            nginx.uri(),
            "{ id: b, match: { path: /b }, key: [header.x-case], limit: 1/h }",
            "{ id: peer, match: { path: /address }, key: [ip], limit: 1/h }",
            "{ id: fields, match: { path: /fields }, key: [], limit: { rate: 2/h, burst: 2 } }");
    ClientAddress local = new ClientAddress(XFF, List.of(Cidr.parse("127.0.0.0/8")), 0, 64);
    trusting =
        TestGateway.before(
            nginx.uri(),
            front -> front.identity(IdentitySettings.DEFAULT.address(local)),
            ConnectionTracker.TICK,
            "{ id: address, key: [ip], limit: 1/h }");
  }

  @AfterAll
  static void stop() {
    if (strict != null) {
      strict.close();
    }
    if (trusting != null) {
      trusting.close();
    }
    if (nginx != null) {
      nginx.close();
    }
  }

  private static String ask(RawClient raw, String target) throws Exception {
    String head = " HTTP/1.1\r\nHost: x\r\nX-Case: " + target + "\r\n\r\n";
    return raw.send("GET " + target + head).readUntil("\r\n\r\n", 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/b",
        "/a/../b",
        "/../../b",
        "//b",
        "/./b",
        "/%62",
        "/a;x=1/../b",
        "/a/..;x=1/b",
        "/..;/b",
        "/%2e%2e/b",
        "/a/%2E%2e/b",
        "/a/.%2e/b",
        "/\\b",
        "/a\\..\\b",
        "http://elsewhere/b"
      })
  void everySpellingHasOneLimitAndOnePath(String target) throws Exception {
    try (RawClient raw = strict.raw()) {
      String first = ask(raw, target);

      assertThat(first).startsWith("HTTP/1.1 200");
      assertThat(raw.readUntil("from", 1)).isEqualTo("GET /b from");
      assertThat(raw.readUntil(".", 4)).isNotEmpty();
      assertThat(ask(raw, target)).startsWith("HTTP/1.1 429");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/b/", "/b;x=1", "/b;x=1/"})
  void trailingSlashAndMatrixParametersShareTheLimit(String target) throws Exception {
    try (RawClient raw = strict.raw()) {
      assertThat(ask(raw, target)).startsWith("HTTP/1.1 200");
      assertThat(raw.readUntil("from", 1)).isEqualTo("GET " + target + " from");
      assertThat(raw.readUntil(".", 4)).isNotEmpty();
      assertThat(ask(raw, target)).startsWith("HTTP/1.1 429");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%252e%252e/b", "/a/%252e%252e/b", "/%2562", "/b%3Bx=1"})
  void decodesOnce(String target) throws Exception {
    try (RawClient raw = strict.raw()) {
      assertThat(ask(raw, target)).startsWith("HTTP/1.1 200");
      assertThat(raw.readUntil("from", 1)).isEqualTo("GET " + target + " from");
      assertThat(raw.readUntil(".", 4)).isNotEmpty();
      assertThat(ask(raw, target)).startsWith("HTTP/1.1 200"); // outside of the limit
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%2Fb",
        "/a%2fb",
        "/%2Fb",
        "/a%5Cb",
        "/..%5cb",
        "/b%00",
        "/%00",
        "/%2e%2e%2fb",
        "\\b"
      })
  void refusesAmbiguousPaths(String target) throws Exception {
    try (RawClient raw = strict.raw()) {
      String head = ask(raw, target);

      assertThat(head).startsWith("HTTP/1.1 400").contains("application/problem+json");
      assertThat(head.toLowerCase(java.util.Locale.ROOT)).doesNotContain("nginx");
    }
  }

  @Test
  void ignoresForwardingHeadersOfUntrustedClients() throws Exception {
    HttpResponse<String> first = strict.get("/address", XFF, "203.0.113.1", "X-Real-IP", "6.6.6.6");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("GET /address from 127.0.0.1.");
    assertThat(strict.get("/address", XFF, "203.0.113.2").statusCode()).isEqualTo(429);
    assertThat(strict.get("/address", "Forwarded", "for=203.0.113.3").statusCode()).isEqualTo(429);
    assertThat(strict.get("/address").statusCode()).isEqualTo(429);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // made-up entries before the real one
        "203.0.113.1                  | 6.6.6.6, 203.0.113.1           | 429",
        "6.6.6.1, 203.0.113.2         | 6.6.6.2, junk, 203.0.113.2     | 429",
        "203.0.113.3                  | 203.0.113.3, 127.0.0.9         | 429",
        "203.0.113.4                  | 203.0.113.5                    | 200",
        // one network of IPv6
        "2001:db8:1:1::1              | 2001:db8:1:1:ffff:0:0:9        | 429",
        "2001:db8:1:2::1              | [2001:0DB8:1:2::2]:443         | 429",
        "2001:db8:1:3::1              | 2001:db8:1:4::1                | 200",
        // IPv4 in IPv6
        "203.0.113.6                  | ::ffff:203.0.113.6             | 429",
        "203.0.113.7                  | ::FFFF:cb00:7107               | 429",
        "203.0.113.8                  | 0:0:0:0:0:ffff:203.0.113.8     | 429",
        "::ffff:203.0.113.9           | ::ffff:203.0.113.10            | 200",
      })
  void distinguishesClientsOfATrustedProxy(String first, String second, int status)
      throws Exception {
    assertThat(trusting.get("/", XFF, first).statusCode()).isEqualTo(200);
    assertThat(trusting.get("/", XFF, second).statusCode()).isEqualTo(status);
  }

  @Test
  void countsAnInvalidAddressAsTheProxy() throws Exception {
    assertThat(trusting.get("/").statusCode()).isEqualTo(200);
    for (String loose :
        List.of("0177.0.0.1", "127.1", "fe80::1%eth0", "unknown", "203.0.113.20:port", "<b>")) {
      assertThat(trusting.get("/", XFF, "203.0.113.21, " + loose).statusCode())
          .as(loose)
          .isEqualTo(429);
    }
  }

  @Test
  void readsOnlyTheHeaderThatIsConfigured() throws Exception {
    assertThat(trusting.get("/", XFF, "203.0.113.30", "Forwarded", "for=9.9.9.1").statusCode())
        .isEqualTo(200);
    assertThat(trusting.get("/", XFF, "203.0.113.30", "Forwarded", "for=9.9.9.2").statusCode())
        .isEqualTo(429);
  }

  @Test
  void writesValidStructuredFields() throws Exception {
    HttpResponse<String> admitted = strict.get("/fields");
    strict.get("/fields");
    HttpResponse<String> refused = strict.get("/fields");

    assertThat(admitted.statusCode()).isEqualTo(200);
    assertThat(refused.statusCode()).isEqualTo(429);
    for (HttpResponse<String> answer : List.of(admitted, refused)) {
      assertThat(field(answer, "RateLimit-Policy").get()).isEqualTo("fields");
      assertThat(number(answer, "RateLimit-Policy", "q")).isEqualTo(2);
      assertThat(number(answer, "RateLimit-Policy", "w")).isEqualTo(3600);
      assertThat(field(answer, "RateLimit").get()).isEqualTo("fields");
    }
    assertThat(number(admitted, "RateLimit", "r")).isEqualTo(1);
    assertThat(number(admitted, "RateLimit", "t")).isBetween(1L, 1800L);
    assertThat(number(refused, "RateLimit", "r")).isZero();
    assertThat(number(refused, "RateLimit", "t"))
        .isEqualTo(Long.parseLong(refused.headers().firstValue("Retry-After").orElseThrow()));
  }

  private static Item<?> field(HttpResponse<String> answer, String name) {
    List<String> lines = answer.headers().allValues(name);
    assertThat(lines).as(name).hasSize(1);
    return Parser.parseItem(lines.get(0));
  }

  private static long number(HttpResponse<String> answer, String name, String parameter) {
    return ((IntegerItem) field(answer, name).getParams().get(parameter)).getAsLong();
  }
}
