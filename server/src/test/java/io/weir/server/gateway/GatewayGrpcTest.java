package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.PythonScripts;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC calls through the gateway, and the status of refused ones. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GatewayGrpcTest {
  private static final String ONE = "{ id: one, match: { path: /*/Say }, key: [ip], limit: 1/h }";

  @TempDir private Path folder;
  private final EchoUpstream upstream = new EchoUpstream();
  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http2 =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false));

  @AfterEach
  void stop() {
    vertx.close().await();
    upstream.close();
  }

  private record Answer(int status, MultiMap headers, MultiMap trailers, String body) {
    Status details() throws Exception {
      return Status.parseFrom(Base64.getDecoder().decode(headers.get("grpc-status-details-bin")));
    }
  }

  /** On one event loop, as a response can end before another thread requests its body. */
  private Answer call(TestGateway gateway, String path, String type) {
    Promise<Answer> answer = Promise.promise();
    vertx.runOnContext(
        go ->
            http2
                .request(HttpMethod.POST, gateway.port(), "127.0.0.1", path)
                .compose(
                    request -> {
                      request.putHeader("content-type", type).putHeader("te", "trailers");
                      return request.send(Buffer.buffer("body"));
                    })
                .compose(GatewayGrpcTest::whole)
                .onComplete(answer));
    return EnvoyTestServer.await(answer.future());
  }

  private static io.vertx.core.Future<Answer> whole(HttpClientResponse response) {
    return response
        .body()
        .map(
            body ->
                new Answer(
                    response.statusCode(),
                    response.headers(),
                    response.trailers(),
                    body.toString()));
  }

  private TestGateway gateway(String... rules) {
    return TestGateway.before("h2c://127.0.0.1:" + upstream.port(), rules);
  }

  @Test
  @Tag("python")
  void forwardsCallsOfGrpcCore() throws Exception {
    Process python = PythonScripts.in(folder).start("grpc_through.py");
    try (BufferedReader output = python.inputReader(StandardCharsets.UTF_8);
        TestGateway gateway = TestGateway.before("h2c://127.0.0.1:" + output.readLine(), ONE)) {
      python.outputWriter().append("127.0.0.1:" + gateway.port() + "\n").flush();

      assertThat(output.readLine()).isEqualTo("first OK said one");
      String[] refused = output.readLine().split("\\|", -1);
      assertThat(refused[1]).isEqualTo("RESOURCE_EXHAUSTED");
      assertThat(refused[2]).startsWith("the limit one of 1 is reached; try again in ");
      Status details = Status.parseFrom(HexFormat.of().parseHex(refused[4]));
      assertThat(details.getDetails(0).unpack(RetryInfo.class).getRetryDelay().getSeconds())
          .isEqualTo(Long.parseLong(refused[3]));
      assertThat(output.readLine()).isEqualTo("stream OK said a, said b");
      assertThat(output.readLine()).startsWith("fail|NOT_FOUND|no such thing|");
      assertThat(output.readLine()).startsWith("gone|UNAVAILABLE|the upstream ");
    } finally {
      python.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/grpc", "application/grpc+proto", "application/grpc;x=y"})
  void refusesWithAGrpcStatusAndRetryTime(String type) throws Exception {
    try (TestGateway gateway = gateway("{ id: \"one\", key: [ip], limit: 1/h }")) {
      assertThat(call(gateway, "/a.B/Say", type).headers().get("x-upstream")).isEqualTo("echo");
      Answer refused = call(gateway, "/a.B/Say", type);

      assertThat(refused.status()).isEqualTo(200);
      assertThat(refused.body()).isEmpty();
      MultiMap headers = refused.headers();
      assertThat(headers.get("content-type")).isEqualTo(type);
      assertThat(headers.get("grpc-status")).isEqualTo("8");
      assertThat(headers.get("grpc-message")).startsWith("the limit one of 1 is reached");
      assertThat(headers.get("ratelimit-policy")).isEqualTo("\"one\";q=1;w=3600");
      assertThat(headers.get("cache-control")).isEqualTo("no-store");
      assertThat(refused.details().getCode()).isEqualTo(8);
      assertThat(refused.details().getMessage()).isEqualTo(headers.get("grpc-message"));
      assertThat(refused.details().getDetails(0).unpack(RetryInfo.class).getRetryDelay())
          .extracting(delay -> Long.toString(delay.getSeconds()))
          .isEqualTo(headers.get("retry-after"));
      QuotaFailure failure = refused.details().getDetails(1).unpack(QuotaFailure.class);
      assertThat(failure.getViolationsList())
          .singleElement()
          .extracting(QuotaFailure.Violation::getSubject)
          .isEqualTo("limit:one");
    }
  }

  @Test
  void givesNoRetryTimeWhenWaitingCannotHelp() throws Exception {
    try (TestGateway gateway = gateway("{ id: none, key: [], limit: 0/h }")) {
      Answer refused = call(gateway, "/a.B/Say", "application/grpc");

      assertThat(refused.headers().get("grpc-status")).isEqualTo("8");
      assertThat(refused.details().getDetailsList())
          .singleElement()
          .matches(detail -> detail.is(QuotaFailure.class));
    }
  }

  @Test
  void answersUnavailableWhenTheUpstreamIsUnreachable() throws Exception {
    upstream.close();
    try (TestGateway gateway = gateway()) {
      Answer failed = call(gateway, "/a.B/Say", "application/grpc");

      assertThat(failed.status()).isEqualTo(200);
      assertThat(failed.headers().get("grpc-status")).isEqualTo("14");
      assertThat(failed.headers().get("grpc-message")).isEqualTo("the upstream is unreachable");
      assertThat(failed.headers().get("cache-control")).isEqualTo("no-store");
      assertThat(failed.details().getDetailsList()).isEmpty();
    }
  }

  /** gRPC calls are POSTs; other requests with their media type get an HTTP status. */
  @Test
  void answersAGetOverHttpWhateverItsType() throws Exception {
    upstream.close();
    String[] type = {"Content-Type", "application/grpc"};
    try (TestGateway gateway = gateway();
        TestGateway refusing = gateway("{ id: none, key: [], limit: 0/h }")) {
      assertThat(gateway.get("/a.B/Say", type).statusCode()).isEqualTo(502);
      assertThat(refusing.get("/a.B/Say", type).statusCode()).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "application/grpcish", "text/plain"})
  void answersOthersOverHttp(String type) {
    try (TestGateway gateway = gateway("{ id: none, key: [], limit: 0/h }")) {
      Answer refused = call(gateway, "/a.B/Say", type);

      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.headers().contains("grpc-status")).isFalse();
      assertThat(refused.body()).contains("RATE_LIMIT");
    }
  }

  @Test
  void refusesGrpcOverHttp11Too() throws Exception {
    try (TestGateway gateway = gateway("{ id: none, key: [], limit: 0/h }");
        RawClient raw = gateway.raw()) {
      String answer =
          raw.send(
                  "POST /a.B/Say HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
                      + "Content-Type: application/grpc-web+proto\r\n\r\n")
              .readUntil("\r\n\r\n", 1);

      assertThat(answer)
          .startsWith("HTTP/1.1 200 OK\r\n")
          .containsIgnoringCase("content-type: application/grpc-web+proto")
          .containsIgnoringCase("grpc-status: 8");
    }
  }

  @ParameterizedTest
  @CsvSource({"h2c, trailers", "http, "})
  void forwardsTeTrailersWhereBothSidesUseHttp2(String scheme, String forwarded) {
    try (TestGateway gateway = TestGateway.before(scheme + "://127.0.0.1:" + upstream.port())) {
      JsonObject echo = new JsonObject(call(gateway, "/x", "application/grpc").body());

      assertThat(echo.getJsonObject("headers").getString("te")).isEqualTo(forwarded);
    }
  }
}
