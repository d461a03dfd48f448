package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Limit;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LifecycleTest {
  private static final String RULE = "{ id: one, key: [user], limit: 5/h }";

  @Test
  void answers503AboveTheLoadGuard() {
    try (TestServer server =
        TestServer.with(
            config -> config.guard(new ServerConfig.LoadLimit(Limit.perHour(2), 10)),
            ConnectionTracker.TICK,
            RULE)) {
      server.check("{}");
      JsonObject batch =
          new JsonObject(server.post("/v1/check/batch", "{\"calls\":[{},{}]}").body());
      HttpResponse<String> beyond = server.post("/v1/check", "{}");
      JsonObject problem = new JsonObject(beyond.body());

      JsonArray decisions = batch.getJsonArray("decisions");
      assertThat(decisions.getJsonObject(0).getString("reason")).isEqualTo("ok");
      assertThat(decisions.getJsonObject(1).getString("reason")).isEqualTo("unavailable");
      assertThat(decisions.getJsonObject(1).getLong("retry_after_ms")).isEqualTo(1000);
      assertThat(beyond.statusCode()).isEqualTo(503);
      assertThat(beyond.headers().firstValue("retry-after")).hasValue("1");
      assertThat(beyond.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(problem.getString("reason")).isEqualTo("unavailable");
      assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
      assertThat(server.get("/v1/limits").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void finishesRequestsInFlightWhenItStops() throws Exception {
    TestServer server = TestServer.with(RULE);
    try (RawClient idle = new RawClient(server);
        RawClient busy = new RawClient(server)) {
      idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 1);
      busy.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 1);
      busy.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{");
      server.get("/healthz"); // by now the request above has arrived, or is about to
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(idle.readAll()).isEmpty();
      await().atMost(Duration.ofSeconds(2)).until(() -> refusesConnections(server));

      busy.send("}");
      assertThat(busy.readAll()).startsWith("HTTP/1.1 200 ").contains("\"rules\":[");
      closing.get(4, TimeUnit.SECONDS);
    }
  }

  @Test
  void reportsStoppingUntilAllRequestsAreDone() throws Exception {
    TestServer server = TestServer.with(RULE);
    try (RawClient busy = new RawClient(server)) {
      busy.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("}", 1);
      busy.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      await().atMost(Duration.ofSeconds(2)).until(() -> refusesConnections(server));
      HttpResponse<String> ready = server.admin("/readyz");
      busy.send("}");

      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).contains("stopping");
      assertThat(busy.readAll()).startsWith("HTTP/1.1 200 ");
      closing.get(4, TimeUnit.SECONDS);
      assertThatThrownBy(() -> server.admin("/readyz")).hasCauseInstanceOf(ConnectException.class);
    }
  }

  private static boolean refusesConnections(TestServer server) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      return false;
    } catch (ConnectException e) {
      return true;
    }
  }

  @Test
  void doesNotWaitForeverWhenItStops() throws IOException {
    TestServer server = TestServer.with(RULE);
    try (RawClient stuck = new RawClient(server)) {
      stuck.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{");
      long begun = System.nanoTime();
      server.close();

      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
      stuck.readAll();
    }
  }

  @Test
  void reportsAPortInUseInOneLine() {
    try (TestServer server = TestServer.with(RULE)) {
      ServerConfig same =
          ServerConfig.DEFAULT
              .http(server.server.http())
              .admin(new ListenAddress("127.0.0.1", 0))
              .grpc(new ListenAddress("127.0.0.1", 0))
              .rules(server.rules);

      assertThatThrownBy(() -> WeirServer.start(same))
          .isInstanceOf(ConfigException.class)
          .hasMessage("cannot listen on " + server.server.http() + " (http): the port is in use");
    }
  }
}
