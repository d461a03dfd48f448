package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.Http2Client;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OddHttpTest {
  private static final String CHECK =
      "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";

  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.with("{ id: one, match: { path: /one }, key: [ip], limit: 1/h }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String answerTo(String bytes) throws IOException {
    try (RawClient client = new RawClient(server)) {
      return client.send(bytes).readAll();
    }
  }

  @Test
  void answersGarbageAndCloses() throws IOException {
    assertThat(answerTo("\u0001\u0002garbage\r\n\r\n"))
        .startsWith("HTTP/1.0 400 ")
        .contains("application/problem+json");
    assertThat(answerTo("GET /healthz HTTP/9.9\r\n\r\n")).startsWith("HTTP/1.1 505 ");
    assertThat(answerTo("GET /healthz EVIL/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 505 ")
        .doesNotContain("EVIL");
    assertThat(
            answerTo("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET / EVIL/1.1\r\nHost: x\r\n\r\n"))
        .contains("HTTP/1.1 505 ")
        .doesNotContain("EVIL");
    assertThat(answerTo("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: lots\r\n\r\n{}"))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void survivesRandomBytes() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 30; i++) {
      byte[] noise = new byte[1 + random.nextInt(500)];
      random.nextBytes(noise);
      try (RawClient client = new RawClient(server)) {
        client.send(noise).send("\r\n\r\n");
      } catch (IOException e) {
        // closed while the client was still sending
      }
    }

    assertThat(server.post("/v1/check", "{}").statusCode()).isEqualTo(200);
  }

  @Test
  void refusesLongLinesAndHeaders() throws IOException {
    assertThat(answerTo("GET /" + "a".repeat(9000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.0 414 ")
        .contains("application/problem+json");
    assertThat(answerTo("GET / HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(17_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 431 ")
        .contains("application/problem+json");
  }

  @Test
  void answersPipelinedRequestsInOrder() throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send(CHECK + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + CHECK + CHECK);
      String all = client.readUntil("\"rules\":[]}", 3);

      assertThat(all.indexOf("\"status\":\"ok\""))
          .isBetween(all.indexOf("\"rules\":[]}"), all.lastIndexOf("\"rules\":[]}"));
    }
  }

  @Test
  void keepsTheConnectionAfterABadRequest() throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{x}");
      assertThat(client.readUntil("}", 1)).startsWith("HTTP/1.1 400 ");
      client.send("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(client.readUntil("}", 1)).startsWith("HTTP/1.1 404 ");
      client.send(CHECK);
      assertThat(client.readUntil("}", 1)).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void speaksHttp2InTheClear() throws Exception {
    try (Http2Client client = new Http2Client()) {
      List<Future<Http2Client.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        answers.add(client.send(server.port(), HttpMethod.POST, "/v1/check", Buffer.buffer("{}")));
      }
      Buffer large = Buffer.buffer(new byte[3 << 20]);

      for (Future<Http2Client.Answer> answer : answers) {
        assertThat(EnvoyTestServer.await(answer).status()).isEqualTo(200);
        assertThat(EnvoyTestServer.await(answer).version()).isEqualTo(HttpVersion.HTTP_2);
      }
      assertThat(
              EnvoyTestServer.await(client.send(server.port(), HttpMethod.POST, "/v1/check", large))
                  .status())
          .isEqualTo(413);
    }
  }

  /** Java's HttpClient requests the upgrade by default, and continues in HTTP/1.1. */
  @Test
  void answersAnUpgradeRequestInHttp1() throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/v1/check")).POST(BodyPublishers.ofString("{}")).build();

    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
  }

  @Test
  void answersQueriesThatCannotBeDecoded() throws IOException {
    String answer =
        answerTo("GET /v1/limits?user=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
  }

  /** Treated as absent, it would evade the rules for the host that a proxy reads from it. */
  @Test
  void refusesInvalidHosts() throws IOException {
    for (String host : List.of("a%41b", "api.example.com:99999")) {
      String rest = " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n";
      String original = "X-Original-Method: GET\r\nX-Original-URI: /one\r\n\r\n";
      assertThat(answerTo("GET /v1/authorize" + rest + original)).startsWith("HTTP/1.1 400 ");
      assertThat(answerTo("GET /v1/limits" + rest + "\r\n")).startsWith("HTTP/1.1 400 ");
      assertThat(answerTo("GET /healthz" + rest + "\r\n")).startsWith("HTTP/1.1 400 ");
    }
  }

  /** A browser sends these for any web page without a CORS preflight. */
  @Test
  void refusesCrossSitePosts() throws IOException {
    String post =
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n";
    String origin = "Origin: http://evil.example\r\n";
    String form = "Content-Type: application/x-www-form-urlencoded\r\n";
    String json = "Content-Type: application/json; charset=utf-8\r\n";

    assertThat(answerTo(post + origin + form + "\r\n{}")).startsWith("HTTP/1.1 415 ");
    assertThat(answerTo(post + origin + "Content-Type: text/plain\r\n\r\n{}"))
        .startsWith("HTTP/1.1 415 ")
        .contains("application/problem+json");
    assertThat(answerTo(post + origin + "\r\n{}")).startsWith("HTTP/1.1 415 ");
    assertThat(answerTo(post + origin + json + "\r\n{}")).startsWith("HTTP/1.1 200 ");
    assertThat(answerTo(post + form + "\r\n{}")).startsWith("HTTP/1.1 200 "); // curl -d
    assertThat(answerTo(post + "\r\n{}")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void answersOddTargets() throws IOException {
    for (String target : List.of("*", "http://x/v1/limits", "//v1/check", "/%", "/v1/check?%")) {
      String answer =
          answerTo("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(answer).as(target).startsWith("HTTP/1.1 ").doesNotContain("HTTP/1.1 5");
    }
  }
}
