package io.weir.bench.front;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.server.WeirServer;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The HTTP servers that are compared: Weir's check API, and a handler that reads the same request
 * and writes a response of the same shape without a decision. {@link #main} runs either in a
 * process.
 */
enum HttpSubject {
  BARE("bare Vert.x handler"),
  WEIR("**Weir** server");

  /** The body of every request. */
  static final String QUESTION =
      "{\"method\":\"GET\",\"path\":\"/api/v1/orders\",\"host\":\"api.example.com\","
          + "\"attributes\":{\"user\":\"user:1234\",\"ip\":\"192.0.2.7\"},\"cost\":1}";

  /** Prefix of the line with the port. */
  static final String PORT = "#port ";

  private static final String RULES =
      """
      version: 1
      rules:
        - id: orders
          match: { path: /api/v1/orders }
          key: [user]
          limit: { rate: 1/s, burst: 1000000000 }
      """;

  final String title;

  HttpSubject(String title) {
    this.title = title;
  }

  public static void main(String[] args) throws Exception {
    int port = valueOf(args[0]) == WEIR ? startWeir() : startBare();
    System.out.println(PORT + port);
    // Runs until the parent process closes the pipe.
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  private static int startWeir() throws Exception {
    Path rules = Files.createTempFile("weir-bench", ".yaml");
    rules.toFile().deleteOnExit();
    Files.writeString(rules, RULES);
    ListenAddress anyPort = new ListenAddress("127.0.0.1", 0);
    ServerConfig config =
        ServerConfig.DEFAULT.http(anyPort).admin(anyPort).grpc(anyPort).rules(rules);
    return WeirServer.start(config).http().port();
  }

  /** As many event loops and listeners as Weir's server has. */
  private static int startBare() throws Exception {
    int loops = Runtime.getRuntime().availableProcessors();
    AtomicInteger port = new AtomicInteger();
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
    DeploymentOptions options = new DeploymentOptions().setInstances(loops);
    vertx.deployVerticle(() -> new Bare(port), options).await(10, TimeUnit.SECONDS);
    return port.get();
  }

  /** One listener; all share the port of the first. */
  private static final class Bare extends AbstractVerticle {
    private final AtomicInteger port;

    Bare(AtomicInteger port) {
      this.port = port;
    }

    @Override
    public void start(io.vertx.core.Promise<Void> started) {
      vertx
          .createHttpServer()
          .requestHandler(Bare::answer)
          .listen(-1, "127.0.0.1")
          .onSuccess(server -> port.set(server.actualPort()))
          .<Void>mapEmpty()
          .onComplete(started);
    }

    private static void answer(HttpServerRequest request) {
      request
          .body()
          .onSuccess(
              body -> {
                JsonObject question = new JsonObject(body);
                JsonObject attributes = question.getJsonObject("attributes");
                boolean complete =
                    question.getString("path") != null && attributes.getString("user") != null;
                request
                    .response()
                    .putHeader("content-type", "application/json")
                    .end(decision(complete, question.getLong("cost")).toBuffer());
              });
    }

    private static JsonObject decision(boolean allowed, long remaining) {
      JsonObject rule =
          new JsonObject()
              .put("id", "orders")
              .put("name", "orders")
              .put("kind", "rate")
              .put("limit", 1_000_000_000)
              .put("allowed", allowed)
              .put("remaining", 999_999_999 - remaining)
              .put("reset_ms", 1000)
              .put("retry_after_ms", 0)
              .put("mode", "enforce");
      return new JsonObject()
          .put("allowed", allowed)
          .put("rule", "orders")
          .put("reason", "ok")
          .put("kind", "rate")
          .put("limit", 1_000_000_000)
          .put("remaining", 999_999_999 - remaining)
          .put("reset_ms", 1000)
          .put("retry_after_ms", 0)
          .put("delay_ms", 0)
          .put("degraded", false)
          .put("rules", new JsonArray().add(rule));
    }
  }
}
