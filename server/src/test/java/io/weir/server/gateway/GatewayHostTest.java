package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The host of a request, which rules match and the upstream receives. */
@Timeout(60)
class GatewayHostTest {
  private static EchoUpstream upstream;
  private static TestGateway gateway;

  @BeforeAll
  static void start() {
    upstream = new EchoUpstream();
    gateway = TestGateway.before(upstream.url());
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static String answerTo(String version, String host) throws IOException {
    try (RawClient raw = gateway.raw()) {
      return raw.send(
              "GET / HTTP/%s\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(version, host))
          .readAll();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a%41b",
        "a%",
        "%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
        "a%41b.example.com.0123456789.0123456789.0123456789",
        "api.example.com:99999",
        "api.example.com:x",
        "api.example.com:80:80",
        "user@api.example.com",
        "api.example.com/x",
        "a b",
        "[]",
        "[::1",
        "",
        ":80"
      })
  void isRefusedIfInvalid(String host) throws Exception {
    int before = upstream.paths.size();

    assertThat(answerTo("1.1", host)).startsWith("HTTP/1.1 400 ").contains("Host");
    assertThat(answerTo("1.0", host)).startsWith("HTTP/1.0 400 ").contains("Host");
    assertThat(upstream.paths).hasSize(before);
    assertThat(gateway.metric("weir_internal_errors_total")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "api.example.com, api.example.com",
    "API.Example.COM, API.Example.COM",
    "api.example.com., api.example.com.",
    "my_service.internal:8080, my_service.internal:8080",
    "xn--bcher-kva.example, xn--bcher-kva.example",
    "1.2.3.4, 1.2.3.4",
    "1.2.3.4:65535, 1.2.3.4:65535",
    "1.2.3.4.example.com, 1.2.3.4.example.com",
    "[::1], [::1]",
    "[2001:db8::1]:8443, [2001:db8::1]:8443",
    "[fe80::1%25eth0]:8080, [fe80::1%25eth0]:8080",
    "api.example.com:, api.example.com",
    "[::1]:, [::1]"
  })
  void reachesTheUpstreamUnchanged(String host, String forwarded) throws Exception {
    String answer = answerTo("1.1", host);
    JsonObject headers =
        new JsonObject(answer.substring(answer.indexOf("{"))).getJsonObject("headers");

    assertThat(headers.getString("host")).isEqualTo(forwarded);
    assertThat(headers.getString("x-forwarded-host")).isEqualTo(forwarded);
  }

  @Test
  void mayBeMissingInHttp10() throws Exception {
    try (RawClient raw = gateway.raw()) {
      assertThat(raw.send("GET / HTTP/1.0\r\n\r\n").readAll()).startsWith("HTTP/1.0 200 ");
    }
  }

  @Test
  void isCheckedBeforeAnUpgradeToHttp2() throws Exception {
    try (RawClient raw = gateway.raw()) {
      raw.send(
          "GET / HTTP/1.1\r\nHost: a%41b\r\nConnection: Upgrade, HTTP2-Settings\r\n"
              + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n");
      assertThat(raw.readAll()).doesNotContain(" 200 ", " 503 ");
    }
    assertThat(gateway.metric("weir_internal_errors_total")).isZero();
  }

  /** Other requests on the same connection may be another client's: a proxy's clients share it. */
  @Test
  void endsOnlyItsOwnStreamOverHttp2() throws Exception {
    try (RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.request(1, "x", "/silent");
      String[][] odd = {
        {"GET", ":authority", "a%41b"},
        {"GET", "host", "a%41b"},
        {"GET", ":authority", "api.example.com:99999"},
        {"GET", "host", "api.example.com:99999"},
        {"G E", ":authority", "x"},
        {"G\u00c4T", ":authority", "x"},
      };
      int stream = 3;
      for (int i = 0; i < 60; i++) { // more than the allowed number of resets
        for (String[] one : odd) {
          client.fields(stream, RawHttp2Connection.END_STREAM, odd(one));
          assertThat(client.status(stream)).isEqualTo(400);
          stream += 2;
        }
      }
      assertThat(client.get(stream).status(stream)).isEqualTo(200);
      client.write(RawHttp2Connection.RESET, 0, 1, new byte[4]);
    }
    assertThat(gateway.metric("weir_internal_errors_total")).isZero();
  }

  private static String[] odd(String... one) {
    return new String[] {":method", one[0], ":scheme", "http", ":path", "/", one[1], one[2]};
  }

  /**
   * The body of a refused request is discarded, and does not use up the flow-control window of the
   * connection.
   */
  @Test
  void doesNotReadAnEndlessBodyOverHttp2() throws Exception {
    try (RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.fields(1, 0, odd("POST", ":authority", "a%41b"));
      assertThat(client.status(1)).isEqualTo(400);
      for (int i = 0; i < 3; i++) {
        client.write(RawHttp2Connection.DATA, 0, 1, new byte[16_384]);
      }
      client.next(RawHttp2Connection.WINDOW_UPDATE, 0);
      client.next(RawHttp2Connection.RESET, 1);
      client.fields(3, 0, odd("POST", ":authority", "a%41b"));
      client.write(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 3, new byte[1]);
      assertThat(client.status(3)).isEqualTo(400);
      assertThat(client.get(5).status(5)).isEqualTo(200);
    }
    assertThat(gateway.metric("weir_internal_errors_total")).isZero();
  }
}
