package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.testkit.process.RedisServer;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Responses of the gateway for a rule with {@code on_fail: closed} while its store is unavailable.
 */
@Timeout(60)
class GatewayOutageTest {
  private static final String CLOSED =
      "{ id: strict, key: [ip], limit: 1000/h, on_fail: closed, accuracy: exact }";

  private final EchoUpstream upstream = new EchoUpstream();
  private final RedisServer redis = RedisServer.start();
  private TestGateway gateway;

  /** A gateway that has forwarded a request, so that it is connected to its store. */
  @BeforeEach
  void start() throws Exception {
    gateway =
        TestGateway.sharing(
            RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2)), upstream.url(), CLOSED);
    assertThat(gateway.get("/before").statusCode()).isEqualTo(200);
    redis.kill();
  }

  @AfterEach
  void stop() {
    gateway.close();
    redis.close();
    upstream.close();
  }

  @Test
  void answers503OverHttp() throws Exception {
    HttpResponse<String> refused = gateway.get("/x");
    JsonObject problem = new JsonObject(refused.body());

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat(refused.headers().firstValue("cache-control")).hasValue("no-store");
    assertThat(refused.headers().firstValueAsLong("retry-after").orElseThrow())
        .isBetween(1L, 60L)
        .isEqualTo(problem.getLong("retry_after_s"));
    assertThat(problem.getString("type"))
        .isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
    assertThat(problem.getString("code")).isEqualTo("UNAVAILABLE");
    assertThat(problem.getString("rule")).isEqualTo("strict");
    assertThat(upstream.paths).containsExactly("/before");
  }

  @Test
  void answersUnavailableToCallsOfGrpc() throws Exception {
    HttpRequest call =
        gateway
            .request("/a.B/Say")
            .header("Content-Type", "application/grpc")
            .POST(HttpRequest.BodyPublishers.ofString("body"))
            .build();
    HttpResponse<String> refused = gateway.client.send(call, BodyHandlers.ofString());
    HttpHeaders headers = refused.headers();
    Status details =
        Status.parseFrom(
            Base64.getDecoder()
                .decode(headers.firstValue("grpc-status-details-bin").orElseThrow()));

    assertThat(refused.statusCode()).isEqualTo(200);
    assertThat(headers.firstValue("grpc-status")).hasValue("14");
    assertThat(details.getCode()).isEqualTo(14);
    assertThat(details.getDetails(0).unpack(RetryInfo.class).getRetryDelay().getSeconds())
        .isEqualTo(headers.firstValueAsLong("retry-after").orElseThrow());
    assertThat(upstream.paths).containsExactly("/before");
  }
}
