package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http2.Http2Headers;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.RawHttp2Connection;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that do not end their requests, or do not read the responses. */
@Timeout(30)
class GrpcSlowClientsTest {
  private static final String CHECK = "/grpc.health.v1.Health/Check";
  private static final String REFLECTION =
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  private static final byte[] QUESTION = new byte[5]; // a message without a field
  private static final byte[] NO_WINDOW = {0, 4, 0, 0, 0, 0};

  private static EnvoyTestServer server;

  @BeforeAll
  static void start() {
    server = EnvoyTestServer.with("domain: d\n", config -> config, Duration.ofMillis(5));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static RawHttp2Connection client() throws IOException {
    return new RawHttp2Connection(server.http.server.grpc().orElseThrow().port());
  }

  private static RawHttp2Connection begin(RawHttp2Connection client, String path, String type)
      throws IOException {
    return client.fields(
        1,
        0,
        ":method",
        "POST",
        ":scheme",
        "http",
        ":path",
        path,
        ":authority",
        "x",
        "content-type",
        type);
  }

  private static void assertReset(RawHttp2Connection client) throws IOException {
    assertThat(client.next(RawHttp2Connection.RESET, 1).payload()).containsExactly(0, 0, 0, 8);
  }

  /** Sends pings until the connection is closed. */
  private static void assertClosed(RawHttp2Connection client) {
    assertThatThrownBy(
            () -> {
              while (!Thread.currentThread().isInterrupted()) { // by the time limit
                client.write(RawHttp2Connection.PING, 0, 0, new byte[8]);
                client.next();
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void resetsStreamsWithoutARequest() throws Exception {
    try (RawHttp2Connection client = client()) {
      Http2Headers answer = begin(client, CHECK, "application/grpc").headers(1);
      assertThat(answer.get("grpc-status")).hasToString("4");
      assertReset(client);
      assertClosed(client);
    }
  }

  @Test
  void resetsReflectionStreamsWithoutARequest() throws Exception {
    try (RawHttp2Connection client = client()) {
      begin(client, REFLECTION, "application/grpc");
      assertReset(client);
      assertClosed(client);
    }
    try (RawHttp2Connection client = client()) {
      begin(client, REFLECTION, "application/grpc")
          .write(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 1, new byte[0]);
      assertReset(client);
    }
  }

  @Test
  void resetsStreamsWhoseResponseIsNotRead() throws Exception {
    try (RawHttp2Connection client = client()) {
      client.write(RawHttp2Connection.SETTINGS, 0, 0, NO_WINDOW);
      begin(client, CHECK, "application/grpc")
          .write(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 1, QUESTION);
      assertThat(client.status(1)).isEqualTo(200);
      assertReset(client);
      assertClosed(client);
    }
  }

  @Test
  void resetsAnsweredStreamsThatTheClientDoesNotEnd() throws Exception {
    try (RawHttp2Connection client = client()) {
      begin(client, CHECK, "application/grpc").write(RawHttp2Connection.DATA, 0, 1, QUESTION);
      assertThat(client.status(1)).isEqualTo(200);
      assertThat(client.headers(1).get("grpc-status")).hasToString("0");
      assertReset(client);
      assertClosed(client);
    }
  }

  @Test
  void resetsStreamsOfUnknownMethods() throws Exception {
    try (RawHttp2Connection client = client()) {
      Http2Headers answer =
          begin(client, "/grpc.health.v1.Health/Nothing", "application/grpc").headers(1);
      assertThat(answer.get("grpc-status")).hasToString("12");
      assertReset(client);
    }
    try (RawHttp2Connection client = client()) {
      assertThat(begin(client, CHECK, "text/plain").status(1)).isEqualTo(415);
      assertReset(client);
    }
  }

  @Test
  void resetsQuotaStreamsThatHaveEnded() throws Exception {
    try (RawHttp2Connection client = client()) {
      client.write(RawHttp2Connection.SETTINGS, 0, 0, NO_WINDOW);
      begin(
              client,
              "/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas",
              "application/grpc")
          .write(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 1, new byte[0]);
      assertClosed(client);
    }
  }
}
