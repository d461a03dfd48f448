package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.control.ControlStores;
import io.weir.server.admin.api.ApiClient.Answer;
import io.weir.time.SystemTime;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The admin API while the control database cannot be used. */
@Timeout(120)
class UnavailableDatabaseTest {
  private static final String ADMIN = "test-admin";

  @TempDir Path folder;

  @Test
  void answersWith503AndTheReasonAfterAWait() {
    try (ApiServer server =
        ApiServer.on(
            () -> {
              throw new IllegalStateException("control.mv.db is locked by pid 17 on host-a");
            })) {
      ApiClient api = server.client();
      long start = System.nanoTime();
      Answer answer =
          api.put(ADMIN, "/tenants/a", new JsonObject().put("tier", "free").put("message", "m"));
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.json().getString("detail")).contains("is locked by pid 17 on host-a");
      assertThat(answer.header("retry-after")).isNotEmpty();
      assertThat(System.nanoTime() - start).isGreaterThan(4_000_000_000L);

      JsonObject status = api.get(ADMIN, "/status").json();
      assertThat(status.getString("control")).contains("locked by pid 17");
      assertThat(status.getLong("newest")).isNull();
      Answer on = api.put(ADMIN, "/killswitch", new JsonObject().put("message", "m"));
      assertThat(on.json().getJsonArray("unreached").getJsonObject(0).getString("road"))
          .isEqualTo("push");
      assertThat(api.get(ADMIN, "/openapi.yaml").status()).isEqualTo(200);
    }
  }

  @Test
  void waitsForADatabaseThatOpensInTime() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch open =
        new CountDownLatch(1); // a first start of H2 may take longer than a request waits
    try (ApiServer server =
        ApiServer.on(
            () -> {
              ControlStores opened =
                  ControlStores.open(
                      ApiServer.h2(folder), SystemTime.INSTANCE, folder.resolve("key"), "api");
              open.countDown();
              try {
                asked.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return opened;
            })) {
      ApiClient api = server.client();
      open.await();
      var waiting = CompletableFuture.supplyAsync(() -> api.get(ADMIN, "/tenants"));
      assertThat(api.get(ADMIN, "/status").json().getString("control")).isNotNull();
      asked.countDown();
      assertThat(waiting.join().status()).isEqualTo(200);
    }
  }
}
