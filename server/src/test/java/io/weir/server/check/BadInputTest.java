package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BadInputTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.with(
            "{ id: one, match: { path: /one }, key: [ip], limit: 1/h }",
            "{ id: spend, match: { path: /spend }, key: [ip], limit: 9/h, cost: { attribute: tokens, max: 9 } }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject refused(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
    JsonObject problem = new JsonObject(response.body());
    assertThat(problem.getInteger("status")).isEqualTo(status);
    assertThat(problem.getString("title")).isNotBlank();
    assertThat(problem.getString("detail")).isNotBlank();
    assertThat(response.body()).doesNotContain("Exception", "\\tat ", "io.weir");
    return problem;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {"cost":1.5}                                       | cost
          {"cost":1.0}                                       | cost
          {"cost":1e2}                                       | cost
          {"cost":1e400}                                     | cost
          {"cost":NaN}                                       | cost
          {"cost":Infinity}                                  | cost
          {"cost":-1}                                        | cost
          {"cost":"1"}                                       | cost
          {"cost":null}                                      | cost
          {"cost":true}                                      | cost
          {"cost":[1]}                                       | cost
          {"cost":9007199254740992}                          | cost
          {"cost":9223372036854775808}                       | cost
          {"cost":99999999999999999999999999999999}          | cost
          {"cost":1,"cost":1}                                | cost
          {"method":5}                                       | method
          {"method":null}                                    | method
          {"path":["/"]}                                     | path
          {"path":{}}                                        | path
          {"path":"payments"}                                | path
          {"path":""}                                        | path
          {"path":"*","method":"OPTIONS"}                    | path
          {"path":"http://host/one"}                         | path
          {"host":1}                                         | host
          {"attributes":[]}                                  | attributes
          {"attributes":"ip"}                                | attributes
          {"attributes":null}                                | attributes
          {"attributes":{"user":null}}                       | attributes.user
          {"attributes":{"user":{"id":1}}}                   | attributes.user
          {"attributes":{"user":["a"]}}                      | attributes.user
          {"attributes":{"a":"1","a":"2"}}                   | attributes.a
          {"attributes":{"a":"","a":""}}                     | attributes.a
          {"attributes":{"ip":"1.2.3.4"}},"attributes":{}    |
          {"colour":"red"}                                   | colour
          {"Cost":1}                                         | Cost
          {"path":"/a"                                       | path
          {"path":"/a}                                       | path
          {"path":'/a'}                                      | path
          {"path":"/a",}                                     | path
          {"path":"/spend","attributes":{"tokens":"many"}}   | attributes.tokens
          {"path":"/spend","attributes":{"tokens":"-1"}}     | attributes.tokens
          {"path":"/spend","attributes":{"tokens":1.5}}      | attributes.tokens
          """)
  void namesTheInvalidField(String body, String field) {
    assertThat(refused(server.post("/v1/check", body), 400).getString("field")).isEqualTo(field);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "1",
        "[]",
        "\"text\"",
        "{} {}",
        "{}x",
        "not json",
        "{",
        "{\"a\"",
        "}",
        "{path:1}",
        "// c\n{}",
        "{\"path\":\"/\\ud8\"}",
        "{\"path\":\"\u0000\"}",
        "<xml/>"
      })
  void refusesBodiesThatAreNotAJsonObject(String body) {
    refused(server.post("/v1/check", body), 400);
  }

  @Test
  void refusesBytesThatAreNotUtf8() {
    byte[] body = "{\"path\":\"/?\"}".getBytes(StandardCharsets.US_ASCII);
    body[10] = (byte) 0xff;

    refused(server.post("/v1/check", BodyPublishers.ofByteArray(body)), 400);
  }

  @Test
  void refusesDeepNesting() {
    String deep = "[".repeat(100_000);

    refused(server.post("/v1/check", "{\"attributes\":{\"a\":" + deep), 400);
    refused(server.post("/v1/check", deep), 400);
    refused(server.post("/v1/check", "{\"a\":".repeat(100_000)), 400);
  }

  @Test
  void refusesAThousandAttributes() {
    StringBuilder body = new StringBuilder("{\"attributes\":{\"a\":1");
    for (int i = 0; i < 1000; i++) {
      body.append(",\"a").append(i).append("\":1");
    }

    refused(server.post("/v1/check", body + "}}"), 400);
  }

  @Test
  void acceptsAKeyOf64Kilobytes() {
    String long1 = "{\"path\":\"/one\",\"attributes\":{\"ip\":\"" + "x".repeat(65_536) + "1\"}}";
    String long2 = "{\"path\":\"/one\",\"attributes\":{\"ip\":\"" + "x".repeat(65_536) + "2\"}}";

    assertThat(server.check(long1).getBoolean("allowed")).isTrue();
    assertThat(server.check(long1).getBoolean("allowed")).isFalse();
    assertThat(server.check(long2).getBoolean("allowed")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {}                                      | calls
          {"calls":{}}                            | calls
          {"calls":[1]}                           | calls[0]
          {"calls":[{},{"cost":-1}]}              | calls[1].cost
          {"calls":[{},{},{"attributes":{"x":null}}]} | calls[2].attributes.x
          {"calls":[{"path":"/spend","attributes":{"tokens":"no"}}]} | calls[0].attributes.tokens
          {"calls":[{},{"path":"one"}]}           | calls[1].path
          {"calls":[],"calls":[]}                 | calls
          {"call":[]}                             | call
          """)
  void namesTheCallOfABatch(String body, String field) {
    assertThat(refused(server.post("/v1/check/batch", body), 400).getString("field"))
        .isEqualTo(field);
  }

  @Test
  void refusesMoreThanAThousandCalls() {
    String thousand = "{}" + ",{}".repeat(999);

    assertThat(server.post("/v1/check/batch", "{\"calls\":[" + thousand + "]}").statusCode())
        .isEqualTo(200);
    refused(server.post("/v1/check/batch", "{\"calls\":[" + thousand + ",{}]}"), 400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          /v1/settle  | {"cost":1}                     | reservation
          /v1/settle  | {"reservation":"x"}            | cost
          /v1/settle  | {"reservation":1,"cost":1}     | reservation
          /v1/settle  | {"reservation":"x","cost":-1}  | cost
          /v1/release | {}                             | reservation
          /v1/release | {"reservation":"x","cost":1}   | cost
          /v1/renew   | {"reservation":null}           | reservation
          """)
  void namesTheFieldOfASettlement(String path, String body, String field) {
    assertThat(refused(server.post(path, body), 400).getString("field")).isEqualTo(field);
  }

  @Test
  void refusesADuplicatedParameter() {
    JsonObject problem = refused(server.get("/v1/limits?user=1&user=2"), 400);

    assertThat(problem.getString("field")).isEqualTo("user");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/reserve", "/v1/explain"})
  void refusesAPathWithoutASlashEverywhere(String endpoint) {
    JsonObject problem = refused(server.post(endpoint, "{\"path\":\"one\"}"), 400);

    assertThat(problem.getString("field")).isEqualTo("path");
    assertThat(problem.getString("detail")).isEqualTo("path must begin with '/'");
  }

  @Test
  void refusesAPathWithoutASlashInAQuery() {
    JsonObject problem = refused(server.get("/v1/limits?path=one"), 400);

    assertThat(problem.getString("field")).isEqualTo("path");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/v1", "/v1/check/", "/v2/check", "/metrics", "/v1/../v1/check"})
  void answers404ForUnknownPaths(String path) {
    refused(server.get(path), 404);
  }

  @Test
  void namesTheMethodsThatAPathAccepts() {
    HttpResponse<String> get = server.get("/v1/check");
    HttpResponse<String> delete =
        server.send(HttpRequest.newBuilder(server.uri("/v1/limits")).DELETE());

    refused(get, 405);
    assertThat(get.headers().firstValue("allow")).hasValue("POST");
    refused(delete, 405);
    assertThat(delete.headers().firstValue("allow")).hasValue("GET, HEAD");
  }
}
