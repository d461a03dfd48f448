package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.testkit.process.RedisServer;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gateway with rules that mark calls or that callers do not see. */
@Timeout(60)
class GatewayRuleOptionsTest {
  private static final String[] SOFT = {
    "{ id: soft, key: [ip], limit: 1/h, on_limit: mark }",
    "{ id: softer, key: [ip], limit: 2/h, on_limit: mark }"
  };

  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  private static JsonObject headers(TestGateway gateway, String... sent) throws Exception {
    HttpResponse<String> response =
        gateway.client.send(
            (sent.length == 0 ? gateway.request("/") : gateway.request("/").headers(sent)).build(),
            BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("X-Weir-Over")).isEmpty();
    return new JsonObject(response.body()).getJsonObject("headers");
  }

  @Test
  void theUpstreamSeesWhichRulesACallIsOver() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), SOFT)) {
      assertThat(headers(gateway).containsKey("x-weir-over")).isFalse();
      assertThat(headers(gateway).getString("x-weir-over")).isEqualTo("soft");
      assertThat(headers(gateway).getString("x-weir-over")).isEqualTo("soft, softer");
    }
  }

  @Test
  void theUpstreamSeesItWithStateInRedis() throws Exception {
    try (RedisServer redis = RedisServer.start();
        TestGateway gateway =
            TestGateway.sharing(
                RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2)),
                upstream.url(),
                SOFT)) {
      assertThat(headers(gateway).containsKey("x-weir-over")).isFalse();
      assertThat(headers(gateway).getString("x-weir-over")).isEqualTo("soft");
    }
  }

  @Test
  void aClientCannotSendTheMarkItself() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), SOFT)) {
      assertThat(headers(gateway, "X-Weir-Over", "forged").containsKey("x-weir-over")).isFalse();
      assertThat(headers(gateway, "X-Weir-Over", "forged").getString("x-weir-over"))
          .isEqualTo("soft");
      assertThat(headers(gateway, "X_Weir_Over", "forged").containsKey("x_weir_over")).isFalse();
    }
  }

  @Test
  void aHiddenRuleIsInNoHeaderAndNoBody() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(), "{ id: secret, key: [ip], limit: 1/h, headers: hidden }")) {
      HttpResponse<String> admitted = gateway.get("/");
      HttpResponse<String> refused = gateway.get("/");

      assertThat(admitted.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      assertThat(refused.body()).doesNotContain("secret").contains("\"code\":\"RATE_LIMIT\"");
    }
  }
}
