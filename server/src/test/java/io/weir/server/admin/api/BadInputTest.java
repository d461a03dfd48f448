package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.weir.server.admin.api.ApiClient.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that are refused: each names its field, changes nothing and leaves no audit entry. */
@Timeout(120)
class BadInputTest {
  @TempDir static Path folder;
  private static ApiServer server;

  @BeforeAll
  static void start() {
    server = ApiServer.on(ApiServer.h2(folder), folder);
    server.stores();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Answer ask(String method, String path, String body, String... headers) {
    long before = server.stores().audit().head().seq();
    Answer answer = server.client().send("test-admin", method, path, body, headers);
    assertThat(server.stores().audit().head().seq()).isEqualTo(before);
    return answer;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"2h\",\"message\":\"m\",\"color\":1} | color",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[1],\"limit\":\"5/s\",\"expires\":\"2h\",\"message\":\"m\"} | key[0]",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":\"1\",\"limit\":\"5/s\",\"expires\":\"2h\",\"message\":\"m\"} | key",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"2h\"} | message",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"2h\",\"message\":\" \"} | message",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"message\":\"m\"} | expires",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"soon\",\"message\":\"m\"} | expires",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"2020-01-01T00:00:00Z\",\"message\":\"m\"} | expires",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"expires\":\"999999999d\",\"message\":\"m\"} | expires",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"fast\",\"expires\":\"2h\",\"message\":\"m\"} | limit",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"expires\":\"2h\",\"message\":\"m\"} | limit",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"limit\":\"5/s\",\"factor\":2,\"expires\":\"2h\",\"message\":\"m\"} | limit",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"factor\":0,\"expires\":\"2h\",\"message\":\"m\"} | factor",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"unlimited\":false,\"expires\":\"2h\",\"message\":\"m\"} | unlimited",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"factor\":2,\"name\":\"a\",\"expires\":\"2h\",\"message\":\"m\"} | name",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\",\"2\"],\"factor\":2,\"expires\":\"2h\",\"message\":\"m\"} | key",
        "PUT | /overrides | {\"rule\":\"nosuch\",\"key\":[\"1\"],\"factor\":2,\"expires\":\"2h\",\"message\":\"m\"} | rule",
        "PUT | /overrides | {\"rule\":\"search\",\"key\":[\"1\",\"eu\"],\"limit\":\"5/s\",\"expires\":\"2h\",\"message\":\"m\"} | name",
        "PUT | /overrides | {\"rule\":\"search\",\"key\":[\"1\",\"eu\"],\"limit\":\"5/s\",\"name\":\"no\",\"expires\":\"2h\",\"message\":\"m\"} | name",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"a\\u0000b\"],\"factor\":2,\"expires\":\"2h\",\"message\":\"m\"} | key[0]",
        "PUT | /overrides | {\"rule\":\"payments\",\"key\":[\"1\"],\"factor\":2,\"expires\":\"2h\",\"message\":\"\\ud800\"} | message",
        "PUT | /overrides | {\"rule\":\"payments\",\"rule\":\"payments\",\"key\":[\"1\"],\"factor\":2,\"expires\":\"2h\",\"message\":\"m\"} | rule",
        "PUT | /blocks | {\"key\":[\"1\"],\"until\":\"2020-01-01T00:00:00Z\",\"message\":\"m\"} | until",
        "PUT | /blocks | {\"key\":[\"1\"],\"until\":\"0s\",\"message\":\"m\"} | until",
        "POST | /signals | {\"key\":[\"1\"],\"severity\":4,\"ttl\":\"1h\",\"source\":\"s\",\"message\":\"m\"} | severity",
        "POST | /signals | {\"key\":[\"1\"],\"severity\":1.5,\"ttl\":\"1h\",\"source\":\"s\",\"message\":\"m\"} | severity",
        "POST | /signals | {\"key\":[\"1\"],\"severity\":1,\"ttl\":\"25h\",\"source\":\"s\",\"message\":\"m\"} | ttl",
        "POST | /signals | {\"key\":[\"1\"],\"severity\":1,\"ttl\":\"1h\",\"message\":\"m\"} | source",
        "PUT | /tenants/a | {\"tier\":\"free\",\"rate\":\"fast\",\"message\":\"m\"} | rate",
        "PUT | /tenants/a | {\"tier\":\"free\",\"burst\":0,\"message\":\"m\"} | burst",
        "PUT | /tenants/a | {\"tier\":\"\",\"message\":\"m\"} | tier",
        "PUT | /tenants/a%00b | {\"tier\":\"free\",\"message\":\"m\"} | tenant",
        "POST | /tokens | {\"role\":\"root\",\"label\":\"x\",\"message\":\"m\"} | role",
        "POST | /tokens | {\"role\":\"viewer\",\"label\":\"\",\"message\":\"m\"} | label",
        "POST | /tokens | {\"role\":\"viewer\",\"label\":\"a\\nb\",\"message\":\"m\"} | label",
        "POST | /tokens | {\"role\":\"viewer\",\"label\":\"x\",\"expires\":\"2020-01-01T00:00:00Z\",\"message\":\"m\"} | expires",
        "PUT | /killswitch | {\"for\":\"never\",\"message\":\"m\"} | for",
        "PUT | /rules | {\"files\":{},\"message\":\"m\"} | files",
        "PUT | /rules | {\"files\":{\"a.yaml\":5},\"message\":\"m\"} | files.a.yaml",
        "PUT | /rules | {\"files\":{\"a.yaml\":\"version: 1\"},\"message\":\"m\",\"expect\":{\"refused_keys\":\"many\"}} | expect.refused_keys",
        "PUT | /rules | {\"files\":{\"a.yaml\":\"version: 1\"},\"message\":\"m\",\"expect\":{}} | expect.refused_keys",
        "PUT | /rules?dry_run=perhaps | {\"files\":{\"a.yaml\":\"version: 1\"},\"message\":\"m\"} | dry_run",
        "POST | /rules/rollback | {\"to\":\"one\",\"message\":\"m\"} | to",
        "POST | /rollouts/1/verdict | {\"verdict\":\"meh\",\"message\":\"m\"} | verdict",
        "POST | /rollouts/one/hold | {\"message\":\"m\"} | id",
        "POST | /audit/accept | {\"head\":\"xyz\",\"message\":\"m\"} | head",
        "GET | /overrides?limit=0 | '' | limit",
        "GET | /overrides?limit=1001 | '' | limit",
        "GET | /overrides?limit=ten | '' | limit",
        "GET | /overrides?cursor=what | '' | cursor",
        "GET | /overrides?color=red | '' | color",
        "GET | /overrides?limit=1&limit=2 | '' | limit",
        "GET | /audit?after=-1 | '' | after",
        "GET | /rules/versions/0 | '' | version",
        "DELETE | /tenants/a | '' | message",
        "DELETE | /tokens/1?message=%20 | '' | message",
        "DELETE | /overrides/x?message=m | '' | id",
      })
  void namesTheField(String method, String path, String body, String field) {
    Answer answer = ask(method, path, body, "If-Match", "\"0\"");
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(400);
    assertThat(answer.field()).as(answer.http().body()).isEqualTo(field);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''",
        "[]",
        "{",
        "{}x",
        "null",
        "\"text\"",
        "{\"a\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}"
      })
  void refusesWhatIsNoObject(String body) {
    Answer answer = ask("PUT", "/overrides", body);
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void refusesAVersionThatIsNone() {
    String body = "{\"files\":{\"a.yaml\":\"version: 1\"},\"message\":\"m\"}";
    for (String version : new String[] {"W/\"1\"", "*", "one", "\"99999999999999999999\""}) {
      Answer answer = ask("PUT", "/rules", body, "If-Match", version);
      assertThat(answer.status()).as(version).isEqualTo(400);
      assertThat(answer.field()).isEqualTo("If-Match");
    }
  }

  @Test
  void refusesPathsThatAreNotPercentEncoded() {
    assertThatThrownBy(() -> ApiRoute.decode("tenant", "%zz"))
        .isInstanceOf(ApiProblemException.class)
        .hasMessageContaining("tenant");
    assertThat(ApiRoute.decode("tenant", "a+b%20c")).isEqualTo("a+b c");
  }

  @Test
  void refusesBodiesThatAreTooLarge() {
    JsonObject large = new JsonObject().put("message", "m".repeat(2 << 20));
    assertThat(ask("PUT", "/overrides", large.encode()).status()).isEqualTo(413);
    JsonObject rules =
        new JsonObject()
            .put("message", "m")
            .put("files", new JsonObject().put("a.yaml", "#".repeat(9 << 20)));
    assertThat(ask("PUT", "/rules", rules.encode(), "If-Match", "0").status()).isEqualTo(413);
  }

  @Test
  void namesTheMethodsOfAPath() {
    Answer answer = ask("POST", "/overrides", "{}");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("allow")).isEqualTo("GET, HEAD, PUT");
    assertThat(ask("GET", "/nothing", "").status()).isEqualTo(404);
    assertThat(ask("GET", "/tenants/a/b", "").status()).isEqualTo(404);
  }
}
