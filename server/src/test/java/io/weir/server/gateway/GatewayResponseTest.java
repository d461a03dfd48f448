package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.Http2Upstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.RawUpstream;
import io.weir.server.fixture.TestGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a response is relayed: when its head is sent, and what happens if it ends early. */
@Timeout(60)
class GatewayResponseTest {
  private static final String ONE_AT_ONCE =
      "{ id: once, match: { path: [/, /head] }, key: [],"
          + " limit: { algorithm: concurrency, permits: 1 } }";

  @ParameterizedTest
  @ValueSource(strings = {"1.1", "1.0"})
  void itsHeadDoesNotWaitForItsBody(String version) throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("GET /head HTTP/%s\r\nHost: x\r\nConnection: close\r\n\r\n".formatted(version));
      String head = raw.readUntil("\r\n\r\n", 1);
      upstream.release.complete();

      assertThat(head).startsWith("HTTP/" + version + " 200").containsIgnoringCase("ratelimit");
      assertThat(raw.readAll()).contains("late").doesNotContain("HTTP/");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void itsHeadDoesNotWaitForItsBodyOverHttp2(String scheme) throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(scheme + "://127.0.0.1:" + upstream.port());
        RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.request(1, "x", "/head");
      assertThat(client.status(1)).isEqualTo(200);
      upstream.release.complete();

      assertThat(text(client.next(RawHttp2Connection.DATA, 1))).isEqualTo("late");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void isOneWriteIfItIsSmall(String scheme) throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(scheme + "://127.0.0.1:" + upstream.port());
        RawClient raw = gateway.raw()) {
      for (int i = 0; i < 20; i++) {
        raw.send("GET /cost?is=1 HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(raw.readSome()).startsWith("HTTP/1.1 200").endsWith("cost");
      }
    }
  }

  @Test
  void isAbortedIfTheUpstreamTimesOutAfterItsHead() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front ->
                    front.gateway(
                        front.gateway().timeouts(Duration.ofSeconds(8), Duration.ofSeconds(8))),
                Duration.ofMillis(100),
                ONE_AT_ONCE);
        RawClient raw = gateway.raw()) {
      gateway.get("/elsewhere");
      String answer = raw.send("GET /head HTTP/1.1\r\nHost: x\r\n\r\n").readAll();

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n");
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"timeout\"}")).isPositive();
      await().until(() -> gateway.get("/").statusCode() == 200); // the permit is released
    }
  }

  /** It is not retried: the upstream has responded, and the cost has been settled. */
  @Test
  void is502IfTheUpstreamFailsBeforeAnythingIsSent() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (Http2Upstream upstream =
            new Http2Upstream(
                (to, stream) -> {
                  asked.incrementAndGet();
                  to.fields(stream, 0, ":status", "200", "set-cookie", "a=1");
                  to.write(RawHttp2Connection.RESET, 0, stream, new byte[4]);
                });
        TestGateway gateway = TestGateway.before(upstream.url(), ONE_AT_ONCE);
        RawClient raw = gateway.raw()) {
      for (int i = 1; i <= 2; i++) { // the second takes the released permit
        String answer = raw.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);

        assertThat(answer)
            .startsWith("HTTP/1.1 502 Bad Gateway")
            .doesNotContainIgnoringCase("set-cookie");
        assertThat(asked).hasValue(i);
      }
    }
  }

  @Test
  void isAbortedIfTheUpstreamFailsAfterItsHead() throws Exception {
    try (RawUpstream upstream = new RawUpstream("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer = raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").readAll();

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n");
      assertThat(answer.split("(?i)content-length", -1)).hasSize(2);
      assertThat(upstream.asked).hasValue(1);
    }
  }

  @Test
  void mayHaveTrailersBehindALengthOverHttp2() throws Exception {
    byte[] body = "body".getBytes(StandardCharsets.US_ASCII);
    try (Http2Upstream upstream =
            new Http2Upstream(
                (to, stream) -> {
                  to.fields(stream, 0, ":status", "200", "content-length", "4");
                  to.write(RawHttp2Connection.DATA, 0, stream, body);
                  to.fields(stream, RawHttp2Connection.END_STREAM, "x-sum", "42");
                });
        TestGateway gateway = TestGateway.before(upstream.url());
        RawHttp2Connection client = new RawHttp2Connection(gateway.port());
        RawClient old = gateway.raw()) {
      assertThat(client.get(1).status(1)).isEqualTo(200);
      assertThat(text(client.next(RawHttp2Connection.DATA, 1))).isEqualTo("body");
      assertThat(client.headers(1).get("x-sum")).hasToString("42");
      // HTTP/1 cannot send them after a Content-Length.
      old.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(old.readAll()).endsWith("\r\n\r\nbody");
    }
  }

  /** Cache and date headers are forwarded unchanged. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: public\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nExpires: 0",
        "Cache-Control: public, max-age=99999999999",
        "Cache-Control: max-age=soon\r\nDate: yesterday",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            + "Warning: 112 - \"away\" \"Mon, 07 Nov 1994 08:49:37 GMT\""
      })
  void keepsCacheAndDateHeaders(String headers) throws Exception {
    String first = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: text/x\r\n";
    try (RawUpstream upstream = new RawUpstream(first + headers + "\r\n\r\nbody");
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      String answer = raw.readAll();

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\nbody");
      assertThat(lines(answer, "cache-control|date|expires|warning"))
          .containsExactlyInAnyOrderElementsOf(lines(headers, ".*"));
      assertThat(lines(answer, "content-type")).containsExactly("content-type: text/x");
      assertThat(upstream.asked).hasValue(1);
    }
  }

  /** The lines of these headers, with names in lower case. */
  private static List<String> lines(String head, String names) {
    return head.lines()
        .filter(line -> line.matches("(?i)(" + names + "): .*"))
        .map(line -> line.split(": ", 2))
        .map(line -> line[0].toLowerCase(Locale.ROOT) + ": " + line[1])
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "1.1, HEAD, 200, Content-Length: 9",
    "1.1, HEAD, 200, ",
    "1.0, HEAD, 200, ",
    "1.1, GET, 204, ",
    "1.1, GET, 304, Content-Length: 9",
    "1.1, GET, 304, "
  })
  void keepsTheContentLengthOfABodilessResponse(
      String version, String method, int status, @Nullable String length) throws Exception {
    String header = length == null ? "" : length + "\r\n";
    try (RawUpstream upstream =
            new RawUpstream("HTTP/1.1 %d Told\r\nX: 1\r\n%s\r\n".formatted(status, header));
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("%s / HTTP/%s\r\nHost: x\r\n".formatted(method, version));
      String answer = raw.send("Connection: close\r\n\r\n").readAll();

      assertThat(answer).contains(" " + status + " ").endsWith("\r\n\r\n");
      assertThat(lines(answer, "content-length")).isEqualTo(lines(header, ".*"));
    }
  }

  /** The rest of the body is read for up to 2 s and discarded. */
  @Test
  void mayStartBeforeTheRequestEnds() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("POST /cost?is=1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      assertThat(raw.send("1\r\na\r\n").readUntil("\r\n\r\ncost", 1)).startsWith("HTTP/1.1 200");

      assertThat(raw.readAll()).as("until it is closed").isEmpty();
      assertThat(gateway.metric("weir_internal_errors_total")).isZero();
    }
  }

  private static String text(RawHttp2Connection.Frame frame) {
    return new String(frame.payload(), StandardCharsets.US_ASCII);
  }
}
