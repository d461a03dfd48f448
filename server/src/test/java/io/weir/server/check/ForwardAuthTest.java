package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.http.HeaderDialect;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.IdentitySettings;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.LogCapture;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardAuthTest {
  private static final FrontEndSettings BEHIND_A_PROXY =
      FrontEndSettings.DEFAULT.identity(
          IdentitySettings.DEFAULT
              .address(
                  new ClientAddress("x-forwarded-for", List.of(Cidr.parse("127.0.0.0/8")), 0, 64))
              .apiKey(new IdentitySettings.ApiKey("x-api-key", Optional.empty())));

  private static HttpResponse<String> ask(TestServer server, String... headers) {
    return server.send(HttpRequest.newBuilder(server.uri("/v1/authorize")).headers(headers));
  }

  private static HttpResponse<String> original(TestServer server, String method, String uri) {
    return ask(server, "X-Original-Method", method, "X-Original-URI", uri);
  }

  @Test
  void admitsWithHeadersThenRefusesWithAProblem() {
    try (TestServer server =
        TestServer.with(
            "{ id: payments, key: [ip], limit: { algorithm: sliding-window, rate: 1/h } }")) {
      HttpResponse<String> yes = original(server, "GET", "/a?b=c");
      HttpResponse<String> no = original(server, "GET", "/a");

      assertThat(yes.statusCode()).isEqualTo(200);
      assertThat(yes.body()).isEmpty();
      assertThat(yes.headers().firstValue("RateLimit-Policy")).hasValue("\"payments\";q=1;w=3600");
      assertThat(yes.headers().firstValue("X-RateLimit-Remaining")).hasValue("0");
      assertThat(yes.headers().firstValue("Retry-After")).isEmpty();
      assertThat(no.statusCode()).isEqualTo(429);
      assertThat(no.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(no.headers().firstValue("Cache-Control")).hasValue("no-store");
      assertThat(Long.parseLong(no.headers().firstValue("Retry-After").orElseThrow()))
          .isBetween(1L, 7200L);
      assertThat(new JsonObject(no.body()).getString("code")).isEqualTo("RATE_LIMIT");
      assertThat(new JsonObject(no.body()).getJsonArray("limit_dim")).containsExactly("ip");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "X-Original-Method, X-Original-URI",
    "X-Original-Method, X-Original-URL",
    "X-Forwarded-Method, X-Forwarded-Uri"
  })
  void decidesTheDescribedRequest(String method, String uri) {
    try (TestServer server =
        TestServer.with(
            "{ id: pay, match: { methods: [POST], path: /payments }, key: [], limit: 1/h }")) {
      String value = uri.endsWith("URL") ? "http://api/x/..//payments/" : "/x/..//payments/?q";

      assertThat(ask(server, method, "POST", uri, value).statusCode()).isEqualTo(200);
      assertThat(ask(server, method, "POST", uri, value).statusCode()).isEqualTo(429);
      assertThat(ask(server, method, "GET", uri, value).statusCode()).isEqualTo(200);
      assertThat(ask(server, method, "POST", uri, "/else").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void acceptsAMethodInAnyCase() {
    try (TestServer server =
        TestServer.with(
            "{ id: pay, match: { methods: [POST], path: /payments }, key: [method], limit: 1/h }")) {
      assertThat(original(server, "post", "/payments").statusCode()).isEqualTo(200);
      assertThat(original(server, "POST", "/payments").statusCode()).isEqualTo(429);
      assertThat(original(server, "Post", "/payments").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void acceptsAnAsteriskOnlyForOptions() {
    try (TestServer server =
        TestServer.with("{ id: root, match: { path: / }, key: [], limit: 1/h }")) {
      assertThat(original(server, "OPTIONS", "*").statusCode()).isEqualTo(200);
      assertThat(original(server, "OPTIONS", "*").statusCode()).isEqualTo(429);
      assertThat(original(server, "GET", "*").statusCode()).isEqualTo(400);
      assertThat(original(server, "GET", "payments").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void warnsOfKeysItCannotProvideOnFirstUse() {
    try (TestServer server =
            TestServer.with(
                "{ id: a, key: [user], limit: 9/h }", "{ id: b, key: [user, plan], limit: 9/h }");
        LogCapture log = LogCapture.of(ForwardAuth.class)) {
      server.check("{\"attributes\":{\"user\":\"1\"}}");
      assertThat(log.messages()).isEmpty();
      original(server, "GET", "/");
      original(server, "GET", "/");

      assertThat(log.withLevels())
          .containsExactly(
              "WARN rules: rule a: key names user, which requests of forward-auth never have, as"
                  + " identity gives only ip: on_missing decides; the same for b",
              "WARN rules: rule b: key names plan, which requests of forward-auth never have, as"
                  + " identity gives only ip: on_missing decides");
    }
  }

  @Test
  void usesTheRequestedHost() {
    try (TestServer server =
        TestServer.with("{ id: h, match: { hosts: [api.example.com] }, key: [], limit: 0/h }")) {
      assertThat(
              ask(
                      server,
                      "X-Forwarded-Method",
                      "GET",
                      "X-Forwarded-Uri",
                      "/",
                      "X-Forwarded-Host",
                      "api.example.com")
                  .statusCode())
          .isEqualTo(429);
      assertThat(original(server, "GET", "/").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void refusesAmbiguousDescriptions() {
    try (TestServer server = TestServer.with("{ id: a, key: [], limit: 1/h }")) {
      List<HttpResponse<String>> answers =
          List.of(
              ask(server, "X-Other", "1"),
              ask(server, "X-Original-URI", "/a"),
              ask(server, "X-Forwarded-Uri", "/a", "X-Original-Method", "GET"),
              ask(
                  server,
                  "X-Original-Method",
                  "GET",
                  "X-Original-URI",
                  "/a",
                  "X-Forwarded-Uri",
                  "/cheap"),
              ask(
                  server,
                  "X-Original-Method",
                  "GET",
                  "X-Original-URL",
                  "http://api/a",
                  "X-Original-URI",
                  "/cheap"),
              ask(
                  server,
                  "X-Original-Method",
                  "GET",
                  "X-Original-URI",
                  "/a",
                  "X-Original-URI",
                  "/cheap"));

      assertThat(answers).allMatch(answer -> answer.statusCode() == 400);
      assertThat(original(server, "GET", "/a").statusCode()).isEqualTo(200); // nothing was taken
    }
  }

  /** The upstream would read another path than the rules. */
  @ParameterizedTest
  @CsvSource({
    "/x%2Fa, X-Original-URI",
    "/x%2fa?q, X-Original-URL",
    "/x%5Ca, X-Original-URI",
    "/a%00, X-Forwarded-Uri",
    "/a%5c%2E%2e%2Fb, X-Forwarded-Uri",
    "a, X-Original-URI",
    "/x#/../a, X-Original-URI",
    "http://shop:?x/a, X-Original-URL",
    "http://shop:#x/a, X-Original-URL",
    "http://shop, X-Original-URL",
    "?x, X-Original-URI",
    "*, X-Original-URI"
  })
  void refusesAmbiguousPaths(String path, String header) {
    String method = header.startsWith("X-Original") ? "X-Original-Method" : "X-Forwarded-Method";
    try (TestServer server = TestServer.with("{ id: a, key: [], limit: 1/h }")) {
      HttpResponse<String> answer = ask(server, method, "GET", header, path);

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("the path is ambiguous");
      assertThat(original(server, "OPTIONS", "*").statusCode()).isEqualTo(200); // nothing was taken
      assertThat(original(server, "GET", "/a?q=%2F").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void distinguishesClientsOnlyBehindATrustedProxy() {
    String rule = "{ id: a, key: [ip], limit: 1/h }";
    String[] first = {
      "X-Original-Method", "GET", "X-Original-URI", "/", "X-Forwarded-For", "1.1.1.1"
    };
    String[] second = first.clone();
    second[5] = "2.2.2.2";
    try (TestServer trusting = TestServer.with(BEHIND_A_PROXY, rule);
        TestServer other = TestServer.with(rule)) {
      assertThat(ask(trusting, first).statusCode()).isEqualTo(200);
      assertThat(ask(trusting, second).statusCode()).isEqualTo(200);
      assertThat(ask(trusting, first).statusCode()).isEqualTo(429);
      assertThat(ask(other, first).statusCode()).isEqualTo(200);
      assertThat(ask(other, second).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void distinguishesClientsByTheirOwnHeaders() {
    try (TestServer server =
        TestServer.with(
            BEHIND_A_PROXY,
            "{ id: a, key: [api_key], limit: 1/h }",
            "{ id: b, match: { attributes: { header.x-vip: \"1\" } }, key: [], limit: 0/h }")) {
      String[] head = {"X-Original-Method", "GET", "X-Original-URI", "/", "X-API-Key", "k1"};
      String[] vip = head.clone();
      vip[4] = "X-Vip";
      vip[5] = "1";
      assertThat(ask(server, head).statusCode()).isEqualTo(200);
      assertThat(ask(server, head).statusCode()).isEqualTo(429);
      head[5] = "k2";
      assertThat(ask(server, head).statusCode()).isEqualTo(200);
      assertThat(ask(server, vip).statusCode()).isEqualTo(429);
    }
  }

  /** The warning contains the address to add to the settings. */
  @ParameterizedTest
  @ValueSource(strings = {"", "10.0.0.0/8"})
  void warnsOfAnUntrustedProxy(String trusted) {
    List<Cidr> ranges = trusted.isEmpty() ? List.of() : List.of(Cidr.parse(trusted));
    FrontEndSettings settings =
        FrontEndSettings.DEFAULT.identity(
            IdentitySettings.DEFAULT.address(new ClientAddress("x-forwarded-for", ranges, 0, 64)));
    String[] head = {
      "X-Original-Method", "GET", "X-Original-URI", "/", "X-Forwarded-For", "1.1.1.1"
    };
    try (LogCapture log = LogCapture.of(ForwardAuth.class);
        TestServer server = TestServer.with(settings, "{ id: a, key: [ip], limit: 9/h }")) {
      original(server, "GET", "/");
      assertThat(log.messages()).isEmpty();
      for (int i = 0; i < 3; i++) {
        ask(server, head);
      }

      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("proxy at 127.0.0.1 ")
          .contains("add 127.0.0.1 to identity.client_ip.trusted");
    }
  }

  @Test
  void doesNotWarnOfATrustedProxy() {
    try (LogCapture log = LogCapture.of(ForwardAuth.class);
        TestServer server = TestServer.with(BEHIND_A_PROXY, "{ id: a, key: [ip], limit: 9/h }")) {
      ask(server, "X-Original-Method", "GET", "X-Original-URI", "/", "X-Forwarded-For", "1.1.1.1");

      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void refusesCallsThatWouldBeDelayed() {
    try (TestServer server =
        TestServer.with(
            "{ id: even, key: [], limit: { algorithm: leaky-bucket, rate: 1/h, queue: 5 } }")) {
      assertThat(original(server, "GET", "/").statusCode()).isEqualTo(200);
      assertThat(original(server, "GET", "/").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void refusesACostThatIsNotANumber() {
    try (TestServer server =
        TestServer.with(
            "{ id: a, key: [], limit: 9/h, cost: { attribute: header.x-cost, max: 5 } }")) {
      HttpResponse<String> bad =
          ask(server, "X-Original-Method", "GET", "X-Original-URI", "/", "X-Cost", "much");

      assertThat(bad.statusCode()).isEqualTo(400);
      assertThat(bad.body()).contains("header.x-cost must be a whole number");
    }
  }

  @Test
  void answers503AboveTheLoadGuard() {
    try (TestServer server =
        TestServer.with(
            config -> config.guard(new ServerConfig.LoadLimit(io.weir.Limit.perHour(1), 1)),
            ConnectionTracker.TICK,
            "{ id: a, key: [], limit: 9/h }")) {
      original(server, "GET", "/");
      HttpResponse<String> beyond = original(server, "GET", "/");

      assertThat(beyond.statusCode()).isEqualTo(503);
      assertThat(beyond.headers().firstValue("Retry-After")).hasValue("1");
    }
  }

  /** The gRPC headers come from the client, which could use them to get a 200. */
  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST"})
  void answers503AboveTheLoadGuardEvenWithGrpcHeaders(String method) {
    String[] head = {
      "X-Original-Method", method, "X-Original-URI", "/", "Content-Type", "application/grpc"
    };
    try (TestServer server =
        TestServer.with(
            config -> config.guard(new ServerConfig.LoadLimit(io.weir.Limit.perHour(1), 1)),
            ConnectionTracker.TICK,
            "{ id: a, key: [], limit: 9/h }")) {
      ask(server, head);
      HttpResponse<String> beyond = ask(server, head);
      HttpResponse<String> check =
          server.send(
              HttpRequest.newBuilder(server.uri("/v1/check"))
                  .header("Content-Type", "application/grpc")
                  .POST(HttpRequest.BodyPublishers.ofString("{}")));

      assertThat(List.of(beyond, check))
          .allSatisfy(
              answer -> {
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValue("application/problem+json");
              });
    }
  }

  @Test
  void sendsOnlyTheConfiguredDialects() {
    try (TestServer server =
        TestServer.with(
            FrontEndSettings.DEFAULT.headers(List.of(HeaderDialect.named("draft-06"))),
            "{ id: a, key: [], limit: 9/h }")) {
      HttpResponse<String> yes = original(server, "GET", "/");

      assertThat(yes.headers().firstValue("RateLimit-Limit")).hasValue("9");
      assertThat(yes.headers().firstValue("RateLimit")).isEmpty();
      assertThat(yes.headers().firstValue("X-RateLimit-Limit")).isEmpty();
    }
  }

  @Test
  void showsACallerItsOwnLimits() {
    try (TestServer server = TestServer.with(BEHIND_A_PROXY, "{ id: a, key: [ip], limit: 5/h }")) {
      ask(server, "X-Original-Method", "GET", "X-Original-URI", "/", "X-Forwarded-For", "1.1.1.1");
      HttpResponse<String> mine =
          server.send(
              HttpRequest.newBuilder(server.uri("/v1/limits"))
                  .header("X-Forwarded-For", "1.1.1.1"));

      assertThat(new JsonObject(mine.body()).getLong("remaining")).isEqualTo(4);
      assertThat(new JsonObject(server.get("/v1/limits?ip=2.2.2.2").body()).getLong("remaining"))
          .isEqualTo(5);
    }
  }
}
