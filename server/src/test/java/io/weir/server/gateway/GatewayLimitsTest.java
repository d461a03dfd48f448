package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.process.RedisServer;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits, delays and costs at the gateway, which last as long as an exchange or longer. */
@Timeout(60)
class GatewayLimitsTest {
  private static final String ONE_AT_ONCE =
      "{ id: once, key: [], limit: { algorithm: concurrency, permits: 1%s } }";

  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  private CompletableFuture<HttpResponse<String>> begin(TestGateway gateway, String path) {
    CompletableFuture<HttpResponse<String>> answer =
        gateway.client.sendAsync(gateway.request(path).build(), BodyHandlers.ofString());
    await().until(() -> upstream.paths.contains(path));
    return answer;
  }

  @Test
  void holdsAPermitDuringTheExchange() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), ONE_AT_ONCE.formatted(""))) {
      CompletableFuture<HttpResponse<String>> held = begin(gateway, "/stream");
      HttpResponse<String> refused = gateway.get("/x");
      upstream.release.complete();
      held.get(10, TimeUnit.SECONDS);

      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
      assertThat(new JsonObject(refused.body()).getString("kind")).isEqualTo("concurrency");
      await().until(() -> gateway.get("/x").statusCode() == 200);
    }
  }

  @Test
  void renewsThePermitOfALongExchange() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), ONE_AT_ONCE.formatted(", permit_ttl: 1s"))) {
      CompletableFuture<HttpResponse<String>> held = begin(gateway, "/held");
      await()
          .during(Duration.ofMillis(2500))
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> gateway.get("/x").statusCode() == 429);
      upstream.release.complete();
      held.get(10, TimeUnit.SECONDS);

      await().until(() -> gateway.get("/x").statusCode() == 200);
    }
  }

  @Test
  void releasesThePermitHoweverTheExchangeEnds() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), ONE_AT_ONCE.formatted(""))) {
      try (RawClient raw = gateway.raw()) {
        raw.send("GET /silent HTTP/1.1\r\nHost: x\r\n\r\n");
        await().until(() -> upstream.paths.contains("/silent"));
        assertThat(gateway.get("/x").statusCode()).isEqualTo(429);
      } // the client disconnects
      await().until(() -> gateway.get("/x").statusCode() == 200);
      await().until(() -> gateway.get("/close").statusCode() == 502);
      await().until(() -> gateway.get("/x").statusCode() == 200);
      await().until(() -> isBrokenOff(gateway));
      await().until(() -> gateway.get("/x").statusCode() == 200);
    }
  }

  /**
   * Requests a response that ends early; the permit of the previous request may not be released
   * yet.
   */
  private boolean isBrokenOff(TestGateway gateway) throws Exception {
    try (RawClient raw = gateway.raw()) {
      raw.send("GET /break HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").readAll();
    }
    return upstream.paths.contains("/break");
  }

  @Test
  void releasesThePermitWhenTheUpstreamIsUnreachable() throws Exception {
    upstream.close();
    try (TestGateway gateway = TestGateway.before(upstream.url(), ONE_AT_ONCE.formatted(""))) {
      for (int i = 0; i < 3; i++) {
        await().until(() -> gateway.get("/x").statusCode() == 502);
      }
    }
  }

  @Test
  void delaysRequestsByALeakyBucket() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            "{ id: even, key: [], limit: { algorithm: leaky-bucket, rate: 2/s, queue: 10, max_wait: 1s } }")) {
      gateway.get("/warm");
      await().until(() -> gateway.get("/warm").statusCode() == 200);
      long begun = System.nanoTime();
      List<CompletableFuture<HttpResponse<String>>> answers =
          List.of(start(gateway), start(gateway), start(gateway), start(gateway), start(gateway));
      long passed = answers.stream().filter(answer -> answer.join().statusCode() == 200).count();
      double seconds = (System.nanoTime() - begun) / 1e9;

      assertThat(passed)
          .isBetween(1L, 3L); // requests that would wait for more than 1 s are refused
      assertThat(seconds).isCloseTo(1, within(0.8));
    }
  }

  private static CompletableFuture<HttpResponse<String>> start(TestGateway gateway) {
    return gateway.client.sendAsync(gateway.request("/x").build(), BodyHandlers.ofString());
  }

  @Test
  void dropsADelayedRequestWhoseClientDisconnects() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            "{ id: even, key: [], limit: { algorithm: leaky-bucket, rate: 1/s, queue: 10 } }")) {
      gateway.get("/first");
      try (RawClient raw = gateway.raw()) {
        raw.send("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
        await()
            .until(
                () ->
                    gateway.metric("weir_decisions_total{outcome=\"allowed\",rule=\"even\"}") == 2);
      }
      gateway.get("/last"); // has to wait for both

      assertThat(upstream.paths).containsExactly("/first", "/last");
    }
  }

  @Test
  void settlesTheCostOfTheResponse() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            "{ id: work, key: [ip], cost: { response_header: X-Cost, reserve: 10 }, limit: 100/h }",
            "{ id: calls, key: [ip], limit: 50/h }")) {
      assertThat(remaining(gateway.get("/cost?is=37"))).isEqualTo("90"); // as far as it is known
      await().until(() -> remaining(gateway.get("/cost?is=0")).equals("53"));
      await().until(() -> remaining(gateway.get("/cost?is=lots")).equals("53"));
      await().until(() -> remaining(gateway.get("/cost?is=-5")).equals("43"));
      await().until(() -> remaining(gateway.get("/none")).equals("33"));
      await().until(() -> gateway.get("/cost?is=1000").statusCode() == 200);
      await().until(() -> gateway.get("/none").statusCode() == 429); // in debt
    }
  }

  /** At 100 per hour, 120 of the 200 must be refilled before another 20 can be reserved. */
  @Test
  void capsTheCostOfTheResponse() throws Exception {
    for (String cost : List.of("201", "9007199254740991", "99999999999999999999999")) {
      try (TestGateway gateway =
          TestGateway.before(
              upstream.url(),
              "{ id: work, key: [ip], cost: { response_header: X-Cost, reserve: 20 },"
                  + " limit: 100/h }")) {
        assertThat(gateway.get("/cost?is=" + cost).statusCode()).isEqualTo(200);
        await().until(() -> gateway.get("/none").statusCode() == 429);
        assertThat(gateway.get("/none").headers().firstValueAsLong("Retry-After").orElseThrow())
            .as(cost)
            .isBetween(4300L, 4320L);
        assertThat(gateway.metric("weir_clamped_settlements_total")).isEqualTo(1);
      }
    }
  }

  /** A client that cancels to avoid the cost has paid the reserved amount. */
  @Test
  void chargesTheReservedCostOfACancelledCall() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(
            upstream.url(),
            "{ id: work, key: [ip], cost: { response_header: X-Cost, reserve: 10 }, limit: 100/h }")) {
      try (RawClient raw = gateway.raw()) {
        raw.send("GET /silent HTTP/1.1\r\nHost: x\r\n\r\n");
        await().until(() -> upstream.paths.contains("/silent"));
      }
      await().until(() -> upstream.brokenOff.get() == 1);

      assertThat(remaining(gateway.get("/none")))
          .isEqualTo("80"); // includes the 10 reserved by this request
    }
  }

  /** Each call is settled, so its settled marker must be short-lived. */
  @Test
  void settledMarkerInRedisExpiresWithinSeconds() throws Exception {
    try (RedisServer redis = RedisServer.start();
        TestGateway gateway =
            TestGateway.sharing(
                RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2)),
                upstream.url(),
                "{ id: work, key: [ip], cost: { response_header: X-Cost, reserve: 10 },"
                    + " limit: 100/h }")) {
      gateway.get("/cost?is=37");
      await().until(() -> !marks(redis).isEmpty());

      assertThat((Long) redis.command("PTTL", (String) marks(redis).get(0))).isBetween(1L, 30_000L);
    }
  }

  private static List<?> marks(RedisServer redis) {
    return (List<?>) redis.command("KEYS", "*:settled:*");
  }

  private static String remaining(HttpResponse<String> answer) {
    return answer.headers().firstValue("RateLimit-Remaining").orElse("");
  }

  /** Collects the messages of a WebSocket. */
  private static final class MessageRecorder implements WebSocket.Listener {
    final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    final CompletableFuture<Void> closed = new CompletableFuture<>();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      texts.add(text.toString());
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      closed.complete(null);
      return null;
    }
  }

  private static WebSocket open(TestGateway gateway, MessageRecorder messages) {
    return gateway
        .client
        .newWebSocketBuilder()
        .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + "/socket"), messages)
        .join();
  }

  @Test
  void forwardsWebSocketsAndHoldsTheirPermit() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url(), ONE_AT_ONCE.formatted(""))) {
      MessageRecorder messages = new MessageRecorder();
      WebSocket socket = open(gateway, messages);
      for (int i = 0; i < 20; i++) {
        socket.sendText("hello " + i, true).join();
        assertThat(messages.texts.poll(10, TimeUnit.SECONDS)).isEqualTo("hello " + i);
      }
      assertThat(gateway.get("/x").statusCode()).isEqualTo(429);
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
      messages.closed.get(10, TimeUnit.SECONDS);

      await().until(() -> gateway.get("/x").statusCode() == 200);
    }
  }

  @Test
  void refusesWebSocketsByTheRules() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: one, key: [], limit: 1/h }")) {
      open(gateway, new MessageRecorder()).abort();
      CompletableFuture<WebSocket> second =
          gateway
              .client
              .newWebSocketBuilder()
              .buildAsync(
                  URI.create("ws://127.0.0.1:" + gateway.port() + "/socket"),
                  new MessageRecorder());

      assertThat(second)
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .havingRootCause()
          .withMessageContaining("429");
    }
  }

  @Test
  void acceptsABypassTokenAndDoesNotForwardIt() throws Exception {
    try (TestGateway gateway =
        TestGateway.before(upstream.url(), "{ id: none, key: [], limit: 0/h }")) {
      java.nio.file.Files.writeString(
          gateway.server.rules,
          TestServer.document("{ id: none, key: [], limit: 0/h }")
              + "bypass:\n  - { id: smoke, token_sha256: "
              + io.weir.http.identity.Sha256.hex("sesame")
              + ", limit: 100/s, expires: 2999-01-01 }\n");
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> gateway.get("/", "X-Weir-Bypass", "sesame").statusCode() == 200);
      JsonObject echo = gateway.echo("/", "X-Weir-Bypass", "sesame");

      assertThat(echo.getJsonObject("headers").containsKey("x-weir-bypass")).isFalse();
      assertThat(gateway.get("/").statusCode()).isEqualTo(429);
      assertThat(gateway.get("/", "X-Weir-Bypass", "guess").statusCode()).isEqualTo(429);
    }
  }

  /** A delayed request is not taken for a disconnected client. */
  @Test
  void delaysRequestsLongerThanTheIdleTimeout() throws Exception {
    String even =
        "{ id: even, key: [], limit: { algorithm: leaky-bucket, rate: 20/min, queue: 1 } }";
    Duration tick = Duration.ofMillis(10); // the idle timeout of other requests is 0.65 s
    try (TestGateway gateway = TestGateway.before(upstream.url(), front -> front, tick, even)) {
      assertThat(gateway.get("/").statusCode()).isEqualTo(200);
      try (RawClient held = gateway.raw()) {
        held.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(held.readUntil("}", 1)).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
