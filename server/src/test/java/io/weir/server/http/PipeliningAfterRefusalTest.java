package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are pipelined behind a message that is refused for its framing or its Host. */
@Timeout(60)
class PipeliningAfterRefusalTest {
  private static final String BEHIND = " HTTP/1.1\r\nHost: x\r\n\r\n";

  private static EchoUpstream upstream;
  private static TestGateway gateway;

  @BeforeAll
  static void start() {
    upstream = new EchoUpstream();
    gateway =
        TestGateway.before(
            upstream.url(),
            front -> front.gateway(front.gateway().decisions(true)),
            ConnectionTracker.TICK);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static String answers(int port, String text) throws IOException {
    try (RawClient raw = new RawClient(port)) {
      return raw.send(text).readAll();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: x\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
        "Host: x\r\nTransfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n",
        "Host: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
        "Host: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "Host: x\r\nHost: y\r\n\r\n",
        "Host: x\r\nHost: x\r\n\r\n",
        "Host:\r\n\r\n",
        "Host: a%41b\r\n\r\n",
        "Host: x:99999\r\n\r\n",
        "Accept: x\r\n\r\n"
      })
  void isNeverHandled(String rest) throws Exception {
    assertThat(gateway.get("/warm").statusCode()).isEqualTo(200);
    String refused = "POST /refused HTTP/1.1\r\n" + rest;
    String ofGateway = answers(gateway.port(), refused + "DELETE /behind" + BEHIND);
    String ofData = answers(gateway.server.port(), refused + "GET /healthz" + BEHIND);
    String ofAdmin =
        answers(gateway.server.server.admin().port(), refused + "GET /healthz" + BEHIND);

    assertThat(ofGateway).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.");
    assertThat(ofData).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.");
    assertThat(ofAdmin).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.");
    assertThat(gateway.get("/after").statusCode()).isEqualTo(200);
    assertThat(upstream.paths).doesNotContain("/behind", "/refused");
  }

  @Test
  void isNeverHandledBehindChunksOfHttp10() throws Exception {
    assertThat(gateway.get("/warm").statusCode()).isEqualTo(200);
    String refused =
        "POST /refused HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";

    assertThat(answers(gateway.port(), refused + "DELETE /behind" + BEHIND))
        .contains(" 400 ")
        .containsOnlyOnce("HTTP/1.");
    assertThat(gateway.get("/after").statusCode()).isEqualTo(200);
    assertThat(upstream.paths).doesNotContain("/behind", "/refused");
  }

  /** Requests before it are answered, in order. */
  @Test
  void answersEarlierRequests() throws Exception {
    String all =
        answers(
            gateway.port(),
            "GET /before"
                + BEHIND
                + "GET /refused HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\nDELETE /behind"
                + BEHIND);

    assertThat(all).startsWith("HTTP/1.1 200 ").containsOnlyOnce("HTTP/1.1 400 ");
    assertThat(upstream.paths).contains("/before").doesNotContain("/behind", "/refused");
  }

  /** A request for an upgrade to HTTP/2 is answered in HTTP/1, after the same checks. */
  @Test
  void isNeverHandledBehindAnUpgrade() throws Exception {
    String upgrade =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";

    assertThat(answers(gateway.port(), "GET /refused HTTP/1.1\r\n" + upgrade + "\r\n"))
        .startsWith("HTTP/1.1 400 ");
    try (RawClient raw = gateway.raw()) {
      assertThat(
              raw.send("GET /plain HTTP/1.1\r\nHost: x\r\n" + upgrade + "\r\n")
                  .readUntil("\r\n\r\n", 1))
          .startsWith("HTTP/1.1 200 ");
    }
    assertThat(upstream.paths).contains("/plain").doesNotContain("/refused");
  }
}
