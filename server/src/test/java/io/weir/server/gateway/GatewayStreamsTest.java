package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies are streamed in both directions; none is buffered as a whole. */
@Timeout(60)
class GatewayStreamsTest {
  private final EchoUpstream upstream = new EchoUpstream();

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  @Test
  void streamsResponses() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      HttpResponse<InputStream> answer =
          gateway.client.send(gateway.request("/stream").build(), BodyHandlers.ofInputStream());
      assertThat(new String(answer.body().readNBytes(6), "US-ASCII")).isEqualTo("first,");
      upstream.release.complete();

      assertThat(new String(answer.body().readAllBytes(), "US-ASCII")).isEqualTo("last");
    }
  }

  @Test
  void streamsRequests() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("POST /in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
      await().until(() -> upstream.firstPiece.future().isComplete());
      String answer = raw.send("4\r\nlast\r\n0\r\n\r\n").readUntil("}", 2);

      assertThat(upstream.firstPiece.future().result()).isEqualTo("first");
      assertThat(answer).contains("\"body\":\"firstlast\"");
    }
  }

  @Test
  void readsTheBodyOnlyAfterAdmission() throws Exception {
    String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    try (TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: one, key: [], limit: 1/h }");
        RawClient first = gateway.raw();
        RawClient second = gateway.raw()) {
      assertThat(first.send(head).readUntil("\r\n\r\n", 1)).startsWith("HTTP/1.1 100");
      assertThat(first.send("body").readUntil("}", 2)).contains("\"body\":\"body\"");
      assertThat(second.send(head).readAll()).startsWith("HTTP/1.1 429");
    }
  }

  @Test
  void streamsLargeBodiesWithoutBuffering() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url())) {
      byte[] body = new byte[40 << 20];
      HttpResponse<String> up =
          gateway.client.send(
              gateway.request("/in").POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
              BodyHandlers.ofString());
      HttpResponse<InputStream> down =
          gateway.client.send(gateway.request("/big?mb=200").build(), BodyHandlers.ofInputStream());
      long read = 0;
      try (InputStream in = down.body()) {
        for (byte[] some = in.readNBytes(1 << 16); some.length > 0; some = in.readNBytes(1 << 16)) {
          read += some.length;
        }
      }

      assertThat(new JsonObject(up.body()).getInteger("size")).isEqualTo(body.length);
      assertThat(read).isEqualTo(200L << 20);
    }
  }

  @Test
  void sendsNoFasterThanTheClientReads() throws Exception {
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient raw = gateway.raw()) {
      raw.send("GET /big?mb=600 HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n", 1);
      System.gc();
      long before = direct();
      await().during(Duration.ofMillis(700)).until(() -> direct() - before < 64 << 20);
    }
  }

  /** Direct buffer memory of the whole process, in bytes. */
  private static long direct() {
    return io.netty.util.internal.PlatformDependent.usedDirectMemory();
  }

  @Test
  void streamsToClientsOfHttp10() throws Exception {
    upstream.release.complete();
    try (TestGateway gateway = TestGateway.before(upstream.url());
        RawClient old = gateway.raw();
        RawClient keeping = gateway.raw()) {
      assertThat(old.send("GET /stream HTTP/1.0\r\n\r\n").readAll())
          .startsWith("HTTP/1.0 200")
          .doesNotContain("chunked")
          .endsWith("first,last");
      assertThat(keeping.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").readAll())
          .endsWith("first,last");
    }
  }

  /** Back-pressure from the upstream does not count as a slow client. */
  @Test
  void readsNoFasterThanTheUpstreamReads() throws Exception {
    int pieces = 200;
    byte[] piece = new byte[1 << 20];
    Duration tick = Duration.ofMillis(20);
    UnaryOperator<FrontEndSettings> patient =
        front ->
            front.gateway(
                front.gateway().timeouts(Duration.ofSeconds(1500), Duration.ofSeconds(5)));
    try (TestGateway gateway = TestGateway.before(upstream.url(), patient, tick);
        RawClient raw = gateway.raw()) {
      raw.send("POST /stuck HTTP/1.1\r\nHost: x\r\nContent-Length: " + (pieces << 20) + "\r\n\r\n");
      AtomicInteger taken = new AtomicInteger();
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(() -> upload(raw, piece, pieces, taken));
      await().until(() -> taken.get() > 0);
      await()
          .during(tick.multipliedBy(3 * ProxiedRequest.BODY_TICKS))
          .atMost(Duration.ofSeconds(20))
          .until(() -> taken.get() < 64 && !answer.isDone());
      assertThat(upstream.brokenOff).hasValue(0);
      upstream.release.complete();

      assertThat(answer.get(30, TimeUnit.SECONDS))
          .startsWith("HTTP/1.1 200")
          .contains("\"size\":" + (pieces << 20));
    }
  }

  /** Sends a piece repeatedly, counting, and returns the response. */
  private static String upload(RawClient raw, byte[] piece, int pieces, AtomicInteger taken) {
    try {
      for (int i = 0; i < pieces; i++) {
        raw.send(piece);
        taken.incrementAndGet();
      }
      return raw.readUntil("}", 2);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
