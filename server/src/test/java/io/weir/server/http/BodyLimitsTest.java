package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BodyLimitsTest {
  /** Short ticks, so that timeouts pass soon: 0.2 s for a body, 1.2 s for a request. */
  private static final Duration TICK = Duration.ofMillis(20);

  private static final int MIB = 1 << 20;

  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.with(UnaryOperator.identity(), TICK, "{ id: one, key: [ip], limit: 1000/s }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String bodyOf(int bytes) {
    String start = "{\"path\":\"/";
    return start + "a".repeat(bytes - start.length() - 2) + "\"}";
  }

  @Test
  void acceptsOneMebibyteAndNoMore() {
    assertThat(server.post("/v1/check", bodyOf(MIB)).statusCode()).isEqualTo(200);
    HttpResponse<String> more = server.post("/v1/check", bodyOf(MIB + 1));

    assertThat(more.statusCode()).isEqualTo(413);
    assertThat(more.headers().firstValue("content-type")).hasValue("application/problem+json");
  }

  @Test
  void refusesAChunkedBodyThatGrowsTooLarge() {
    HttpResponse<String> response =
        server.post(
            "/v1/check",
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[5 * MIB])));

    assertThat(response.statusCode()).isEqualTo(413);
  }

  @Test
  void acceptsAChunkedBodyBelowTheMaximum() {
    byte[] body = bodyOf(200_000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    assertThat(
            server
                .post(
                    "/v1/check", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void closesAfterATooLargeContentLength() throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send(
          "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\nabc");

      assertThat(client.readAll()).startsWith("HTTP/1.1 413 ").contains("connection: close");
    }
  }

  @Test
  void answersExpectationsBeforeTheBody() throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send(
          "POST /v1/check HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      client.readUntil("HTTP/1.1 100 ", 1);
      client.send("{}");

      assertThat(client.readUntil("}", 1)).contains("HTTP/1.1 200 ");
    }
    try (RawClient client = new RawClient(server)) {
      client.send(
          "POST /v1/check HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
              + "Content-Length: 2000000\r\n\r\n");

      assertThat(client.readUntil("}", 1)).startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  void timesOutWithoutABody() throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{\"p");

      assertThat(client.readAll())
          .startsWith("HTTP/1.1 408 ")
          .contains("application/problem+json", "did not arrive");
    }
  }

  @Test
  void timesOutWithoutARequest() throws IOException {
    try (RawClient silent = new RawClient(server);
        RawClient slow = new RawClient(server)) {
      slow.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nX-A: b");

      assertThat(silent.readAll()).isEmpty();
      assertThat(slow.readAll()).isEmpty();
    }
  }

  @Test
  void forgetsAClientThatDisconnectsWithinTheBody() throws IOException {
    for (int i = 0; i < 50; i++) {
      try (RawClient client = new RawClient(server)) {
        client.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"path\":");
      }
    }

    assertThat(server.post("/v1/check", "{}").statusCode()).isEqualTo(200);
  }
}
