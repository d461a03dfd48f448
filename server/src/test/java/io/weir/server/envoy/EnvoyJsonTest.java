package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.EnvoyTestServer;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvoyJsonTest {
  private static EnvoyTestServer server;

  @BeforeAll
  static void start() {
    server =
        EnvoyTestServer.with(
            "domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }]");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String about(String domain, String value) {
    return "{\"domain\":\""
        + domain
        + "\",\"descriptors\":[{\"entries\":[{\"key\":\"k\",\"value\":\""
        + value
        + "\"}]}]}";
  }

  @Test
  void respondsWithTheHttpStatusOfTheDecision() {
    HttpResponse<String> first = server.http.post("/json", about("d", "1"));
    HttpResponse<String> second = server.http.post("/json", about("d", "1"));

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.headers().firstValue("content-type")).hasValue("application/json");
    assertThat(first.body())
        .matches(
            "\\{\"overallCode\":\"OK\",\"statuses\":\\[\\{\"code\":\"OK\",\"currentLimit\":"
                + "\\{\"requestsPerUnit\":1,\"unit\":\"DAY\"},\"durationUntilReset\":\"\\d+s\"}]}");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.body()).startsWith("{\"overallCode\":\"OVER_LIMIT\"");
    assertThat(server.http.post("/json", about("nobody", "1")).body())
        .isEqualTo("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\"}]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "nonsense",
        "{\"domain\":\"d\",\"colour\":\"red\"}",
        "{\"domain\":5,\"descriptors\":{}}",
        "{\"domain\":\"\",\"descriptors\":[{}]}",
        "{\"domain\":\"d\",\"descriptors\":[]}",
        "{\"domain\":\"d\",\"descriptors\":[{\"limit\":{\"unit\":\"FORTNIGHT\"}}]}",
        "{\"domain\":\"d\",\"descriptors\":[{\"limit\":{\"unit\":99}}]}",
        "{\"domain\":\"d\",\"hitsAddend\":-1,\"descriptors\":[{}]}"
      })
  void rejectsInvalidBodies(String body) {
    HttpResponse<String> answer = server.http.post("/json", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat(answer.body()).doesNotContain("Exception");
  }

  /** Protobuf's parser would expand these digit by digit and block the event loop. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"hitsAddend\":1e500000000",
        "\"hitsAddend\":\"1e500000000\"",
        "\"hits_addend\":1E500000000",
        "\"hitsAddend\":[\"1e500000000\"]",
        "\"hitsAddend\":100000000000000000000000",
        "\"hitsAddend\":\"100000000000000000000000\"",
        "\"descriptors\":[{\"hitsAddend\":1e500000000}]",
        "\"descriptors\":[{\"hitsAddend\":\"1e500000000\"}]",
        "\"descriptors\":[{\"limit\":{\"requestsPerUnit\":1e500000000}}]",
        "\"descriptors\":[{\"limit\":{\"unit\":\"1e500000000\"}}]"
      })
  @Timeout(20)
  void rejectsHugeNumbersWithoutExpandingThem(String field) {
    HttpResponse<String> answer = server.http.post("/json", "{\"domain\":\"d\"," + field + "}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("a number in it is too long, or has an exponent");
  }

  @Test
  void acceptsTextsThatLookLikeNumbers() {
    String digits = "12345678901234567890123";

    assertThat(server.http.post("/json", about("d", "1e5000")).statusCode()).isEqualTo(200);
    assertThat(server.http.post("/json", about("d", digits)).statusCode()).isEqualTo(200);
    assertThat(server.http.post("/json", about("1e5", "x")).statusCode()).isEqualTo(200);
    assertThat(
            server
                .http
                .post(
                    "/json", about("d", "5").replace("{\"domain", "{\"hitsAddend\":\"1\",\"domain"))
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void countsInvalidRequests() {
    double before = invalid();

    server.http.post("/json", "{");
    server.http.post("/json", "{\"domain\":\"\",\"descriptors\":[{}]}");

    assertThat(invalid() - before).isEqualTo(2);
  }

  private static double invalid() {
    String name = "weir_envoy_requests_total{outcome=\"invalid\"} ";
    return server
        .http
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Test
  void survivesDeepJson() {
    assertThat(server.http.post("/json", "[".repeat(100_000)).statusCode()).isEqualTo(400);
    String nested = "{\"domain\":".repeat(50_000);
    assertThat(server.http.post("/json", nested).statusCode()).isEqualTo(400);
    assertThat(server.http.post("/json", about("d", "2")).statusCode()).isEqualTo(200);
  }

  @Test
  void answersTheHealthCheck() {
    HttpResponse<String> answer = server.http.get("/healthcheck");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("OK");
  }
}
