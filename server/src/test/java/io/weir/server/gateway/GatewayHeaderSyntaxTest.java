package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.Http2Upstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Characters in heads that an upstream could parse differently. */
@Timeout(60)
class GatewayHeaderSyntaxTest {
  private static final String ERRORS = "weir_internal_errors_total";

  private static final String ONE =
      "{ id: one, key: [], limit: { algorithm: concurrency, permits: 1 } }";

  private final EchoUpstream upstream = new EchoUpstream();
  private TestGateway gateway;

  @BeforeEach
  void start() {
    gateway = TestGateway.before(upstream.url(), ONE);
  }

  @AfterEach
  void stop() {
    gateway.close();
    upstream.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "v\u0001",
        "v\u0000",
        "v\u007f",
        "v\rw",
        "v\nw",
        "v\r\nx-b: w",
        "v\r\n transfer-encoding: chunked",
        "v\r\n\tw",
      })
  void areRefusedInValuesOverHttp2(String value) throws Exception {
    try (RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      assertThat(client.get(1, "x-a", value).status(1)).isEqualTo(400);
      assertThat(client.get(3, "x-a", "v\tw\u00e9").status(3)).isEqualTo(200);
    }
    assertThat(upstream.paths).hasSize(1);
    assertThat(gateway.metric(ERRORS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-a\r\nx-b", "x-a:", "x a", "x-\u0001", "x-\u00e9"})
  void areRefusedInNamesOverHttp2(String name) throws Exception {
    try (RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      assertThat(client.get(1, name, "v").status(1)).isEqualTo(400);
    }
    assertThat(upstream.paths).isEmpty();
    assertThat(gateway.metric(ERRORS)).isZero();
  }

  @Test
  void areRefusedInTheHostOverHttp2() throws Exception {
    try (RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.request(1, "[::\r\nx-b: w]", "/");
      assertThat(client.status(1)).isEqualTo(400);
    }
    assertThat(upstream.paths).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"v\u0001", "v\u007f", "v\rw"})
  void areRefusedInValuesOverHttp1(String value) throws Exception {
    try (RawClient client = gateway.raw()) {
      assertThat(client.send("GET / HTTP/1.1\r\nHost: x\r\nX-A: " + value + "\r\n\r\n").readAll())
          .contains(" 400 ");
    }
    assertThat(gateway.get("/").statusCode()).isEqualTo(200);
    assertThat(gateway.metric(ERRORS)).isZero();
  }

  @Test
  void answer502WhenTheUpstreamSendsThem() throws Exception {
    try (Http2Upstream odd =
            new Http2Upstream(
                (to, stream) ->
                    to.fields(
                        stream,
                        RawHttp2Connection.END_STREAM,
                        ":status",
                        "200",
                        "x-a",
                        "v\u0001"));
        TestGateway before = TestGateway.before(odd.url(), ONE)) {
      assertThat(before.get("/").statusCode()).isEqualTo(502);
      assertThat(before.get("/").statusCode()).isEqualTo(502); // the permit is released
      assertThat(before.metric("weir_upstream_responses_total{outcome=\"failed\"}")).isEqualTo(2);
      assertThat(before.metric(ERRORS)).isZero();
    }
  }

  @Test
  void areLeftOutOfTrailers() throws Exception {
    try (Http2Upstream odd =
            new Http2Upstream(
                (to, stream) ->
                    to.fields(stream, 0, ":status", "200")
                        .fields(stream, RawHttp2Connection.END_STREAM, "x-a", "v\u0001"));
        TestGateway before = TestGateway.before(odd.url(), ONE)) {
      for (int i = 0; i < 2; i++) { // the second takes the released permit
        assertThat(before.get("/").statusCode()).isEqualTo(200);
      }
      assertThat(before.metric(ERRORS)).isZero();
    }
  }

  @Test
  void errorsOutsideOfRequestsAreCounted() {
    gateway
        .server
        .server
        .vertx()
        .runOnContext(
            now -> {
              throw new IllegalStateException("a bug");
            });

    await().until(() -> gateway.metric(ERRORS) == 1);
  }
}
