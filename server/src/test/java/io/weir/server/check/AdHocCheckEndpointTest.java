package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.TestServer;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdHocCheckEndpointTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.with("{ id: one, key: [ip], limit: 1/h }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject ask(String key, String rest) {
    String body = "{\"key\":\"" + key + "\"," + rest + "}";
    return new JsonObject(server.post("/ratelimit/check", body).body());
  }

  @Test
  void alwaysAnswersWithAllFourFields() {
    String hour = "\"limit\":2,\"window_ms\":3600000";
    JsonObject first = ask("four", hour);
    ask("four", hour);
    JsonObject third = ask("four", hour);

    assertThat(first.fieldNames())
        .containsExactly("allowed", "remaining", "reset_ms", "retry_after_s");
    assertThat(first.getBoolean("allowed")).isTrue();
    assertThat(first.getLong("remaining")).isEqualTo(1);
    assertThat(first.getLong("retry_after_s")).isZero();
    assertThat(third.getBoolean("allowed")).isFalse();
    assertThat(third.getLong("retry_after_s")).isPositive();
  }

  @Test
  void hasNoRetryTimeWhenWaitingCannotHelp() {
    JsonObject never = ask("never", "\"limit\":2,\"window_ms\":1000,\"weight\":3");

    assertThat(never.getBoolean("allowed")).isFalse();
    assertThat(never.containsKey("retry_after_s")).isTrue();
    assertThat(never.getValue("retry_after_s")).isNull();
  }

  @Test
  void keepsUsageWhenTheNumbersChange() {
    ask("change", "\"limit\":10,\"window_ms\":3600000,\"weight\":8");

    assertThat(ask("change", "\"limit\":9,\"window_ms\":3600000").getLong("remaining")).isZero();
    assertThat(ask("change", "\"limit\":9,\"window_ms\":3600000").getBoolean("allowed")).isFalse();
    assertThat(ask("change", "\"limit\":20,\"window_ms\":3600000").getLong("remaining"))
        .isEqualTo(10);
  }

  @Test
  void acceptsABurst() {
    String bucket = "\"limit\":1,\"window_ms\":3600000,\"algorithm\":\"token-bucket\",\"burst\":3";

    assertThat(ask("burst", bucket).getLong("remaining")).isEqualTo(2);
  }

  @Test
  void roundsTheWaitUpToWholeSeconds() {
    String bucket = "\"limit\":10,\"window_ms\":10000,\"algorithm\":\"token-bucket\",\"burst\":1";
    ask("round", bucket);

    assertThat(ask("round", bucket).getLong("retry_after_s")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"limit":1,"window_ms":1}                                                | key
          {"key":"k","window_ms":1}                                                | limit
          {"key":"k","limit":1}                                                    | window_ms
          {"key":"k","limit":1,"window_ms":0}                                      | window_ms
          {"key":"k","limit":-1,"window_ms":1}                                     | limit
          {"key":"k","limit":1.5,"window_ms":1}                                    | limit
          {"key":"k","limit":9007199254740991,"window_ms":9007199254740991}        | limit
          {"key":7,"limit":1,"window_ms":1}                                        | key
          {"key":"k","limit":1,"window_ms":1,"weight":-1}                          | weight
          {"key":"k","limit":1,"window_ms":1,"burst":5}                            | burst
          {"key":"k","limit":1,"window_ms":1,"algorithm":"magic"}                  | algorithm
          {"key":"k","limit":1,"window_ms":1,"algorithm":"quota"}                  | algorithm
          {"key":"k","limit":1,"window_ms":1,"algorithm":"concurrency"}            | algorithm
          {"key":"k","limit":1,"window_ms":1,"colour":"red"}                       | colour
          """)
  void refusesImpossibleNumbersByName(String body, String field) {
    HttpResponse<String> response = server.post("/ratelimit/check", body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(new JsonObject(response.body()).getString("field")).isEqualTo(field);
  }
}
