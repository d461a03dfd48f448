package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.json.JsonObject;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.RawHttp2Connection;
import io.weir.server.fixture.TestGateway;
import io.weir.server.http.ConnectionTracker;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Upstreams that are unavailable, late, too busy, or close the connection. */
@Timeout(60)
class GatewayFailureTest {
  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  @Test
  void answers502WhenTheUpstreamIsUnreachable() throws Exception {
    upstream.close();
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      HttpResponse<String> answer = gateway.post("/a", "body");

      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(new JsonObject(answer.body()).getString("title")).isEqualTo("Bad Gateway");
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"failed\"}")).isEqualTo(1);
    }
  }

  @Test
  void answers502WhenTheUpstreamClosesBeforeItResponds() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      assertThat(gateway.get("/close").statusCode()).isEqualTo(502);
      assertThat(upstream.paths).containsExactly("/close", "/close"); // a GET can be retried
      assertThat(gateway.post("/close", "x").statusCode()).isEqualTo(502);
      assertThat(upstream.paths).hasSize(3); // a POST cannot
    }
  }

  @Test
  void abortsAResponseThatTheUpstreamAborts() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      String answer = raw.send("GET /break HTTP/1.1\r\nHost: x\r\n\r\n").readAll();

      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("some");
    }
  }

  @Test
  void answers504WhenTheUpstreamTimesOut() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            front ->
                front.gateway(
                    front.gateway().timeouts(Duration.ofSeconds(5), Duration.ofSeconds(5))),
            Duration.ofMillis(50))) {
      HttpResponse<String> answer = gateway.get("/silent");

      assertThat(answer.statusCode()).isEqualTo(504);
      assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(gateway.metric("weir_upstream_responses_total{outcome=\"timeout\"}")).isEqualTo(1);
      await().until(() -> upstream.brokenOff.get() == 1);
    }
  }

  @Test
  void roundsTheTimeoutUpToWholeTicks() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            front ->
                front.gateway(
                    front.gateway().timeouts(Duration.ofMillis(1500), Duration.ofSeconds(5))),
            Duration.ofMillis(50))) {
      HttpResponse<String> answer = gateway.get("/silent");

      assertThat(answer.statusCode()).isEqualTo(504);
      assertThat(answer.body()).contains("did not respond for 2 s");
    }
  }

  /**
   * One HTTP/2 client connection uses one event loop, which here has one upstream connection and
   * one waiting place.
   */
  @Test
  void answers503WhenTooManyWaitForAConnection() throws Exception {
    UnaryOperator<FrontEndSettings> few =
        front ->
            front.gateway(
                front
                    .gateway()
                    .timeouts(Duration.ofSeconds(60), Duration.ofSeconds(60))
                    .connections(1, 1));
    try (TestGateway gateway = TestGateway.before(upstream.url(), few, ConnectionTracker.TICK);
        RawHttp2Connection client = new RawHttp2Connection(gateway.port())) {
      client.request(1, "x", "/held");
      await().until(() -> upstream.paths.contains("/held"));
      client.request(3, "x", "/held").request(5, "x", "/held");
      Http2Headers beyond = client.headers(5);
      upstream.release.complete();

      assertThat(beyond.status()).hasToString("503");
      assertThat(beyond.get("retry-after")).hasToString("1");
      assertThat(beyond.get("content-type")).hasToString("application/problem+json");
      assertThat(client.status(1)).isEqualTo(200);
      assertThat(client.status(3)).isEqualTo(200);
    }
  }
}
