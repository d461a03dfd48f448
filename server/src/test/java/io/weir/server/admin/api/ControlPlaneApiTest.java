package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The admin API of a whole server with its embedded database. */
@Timeout(120)
class ControlPlaneApiTest {
  @TempDir Path state;

  @Test
  void changesReachTrafficAndTheRuleFile() throws Exception {
    try (TestServer server =
        TestServer.with(
            config -> config.stateFolder(state),
            ConnectionTracker.TICK,
            "{ id: payments, key: [user], limit: 2/min }")) {
      String token = server.server.generatedAdminToken().orElseThrow();
      ApiClient api = new ApiClient(server.server.vertx(), "http://" + server.server.admin());
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> "\"1\"".equals(api.get(token, "/rules").header("etag")));
      String version = api.get(token, "/rules").header("etag");

      JsonObject override =
          new JsonObject()
              .put("rule", "payments")
              .put("key", new JsonArray().add("42"))
              .put("limit", "100/min")
              .put("expires", "1h")
              .put("message", "migration");
      assertThat(api.put(token, "/overrides", override).status()).isEqualTo(200);
      await()
          .until(
              () ->
                  api.get(token, "/keys?key=user%3D42").items().getJsonObject(0).getLong("limit")
                      == 100);
      for (int i = 0; i < 50; i++) {
        assertThat(
                server
                    .check("{\"path\":\"/\",\"attributes\":{\"user\":\"42\"}}")
                    .getBoolean("allowed"))
            .isTrue();
      }

      JsonObject rules =
          new JsonObject()
              .put("message", "more")
              .put("expect", new JsonObject().put("refused_keys", "100%"))
              .put(
                  "files",
                  new JsonObject()
                      .put(
                          "rules.yaml",
                          TestServer.document("{ id: payments, key: [user], limit: 9/min }")));
      ApiClient.Answer published = api.put(token, "/rules", rules, "If-Match", version);
      assertThat(published.status()).as(published.http().body()).isEqualTo(200);
      assertThat(Files.readString(server.rules)).contains("9/min");
      assertThat(api.get(token, "/status").json().getString("truth")).isEqualTo("file");
      assertThat(
              api.put(token, "/killswitch", new JsonObject().put("message", "test"))
                  .json()
                  .getBoolean("on"))
          .isTrue();
      assertThat(api.get(token, "/audit").items()).hasSizeGreaterThan(3);
    }
  }
}
