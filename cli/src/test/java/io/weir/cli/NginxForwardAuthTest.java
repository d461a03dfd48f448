package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.NginxServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx with the documented configuration, in front of a Weir process. */
@Tag("nginx")
@Timeout(60)
class NginxForwardAuthTest {
  private static final String RULES =
      """
      version: 1
      rules:
        - { id: per-address, match: { path: /a }, key: [ip], limit: 2/h }
        - { id: posts, match: { methods: [POST], path: /posts }, key: [], limit: 1/h }
        - id: costly
          match: { path: /costly }
          key: []
          limit: 9/h
          cost: { attribute: header.x-cost, max: 5 }
      """;

  @TempDir Path folder;
  private HttpServer app;
  private final HttpClient client = HttpClient.newHttpClient();

  /** An app that echoes its request. */
  @BeforeEach
  void startApp() throws IOException {
    app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    app.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String bypass = String.valueOf(exchange.getRequestHeaders().getFirst("X-Weir-Bypass"));
          byte[] answer =
              (exchange.getRequestMethod() + " " + body + " " + bypass)
                  .getBytes(StandardCharsets.UTF_8);
          boolean broken = exchange.getRequestURI().getPath().equals("/broken");
          exchange.sendResponseHeaders(broken ? 500 : 200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    app.start();
  }

  @AfterEach
  void stopApp() {
    app.stop(0);
  }

  private WeirProcess weir(int port) throws IOException {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "identity: { client_ip: { trusted: [127.0.0.1/32] } }\nstate: { dir: state }\n");
    return WeirProcess.start(
        folder,
        "serve",
        "--config",
        config.toString(),
        "--rules",
        rules.toString(),
        "--port",
        Integer.toString(port),
        "--admin-port",
        "0");
  }

  /** As below, with a longer timeout for a new process on a busy machine. */
  private NginxServer nginx(int weir, boolean refuseWithoutWeir) throws IOException {
    return nginx(weir, refuseWithoutWeir, "10s");
  }

  /** The documented configuration; the strict form refuses requests that Weir cannot decide. */
  private NginxServer nginx(int weir, boolean refuseWithoutWeir, String patience)
      throws IOException {
    String page = Files.readString(Path.of("../docs/deploy/nginx-traefik.md"));
    Matcher example = Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(example.find()).isTrue();
    String shown = example.group(1);
    if (refuseWithoutWeir) {
      assertThat(example.find()).isTrue();
      shown = shown.substring(0, shown.indexOf("  location @weir")) + example.group(1) + "}\n";
    }
    int port = FreePorts.free();
    String config =
        shown
            .replace("127.0.0.1:8080", "127.0.0.1:" + weir)
            .replace("127.0.0.1:9000", "127.0.0.1:" + app.getAddress().getPort())
            .replace("listen 8000", "listen 127.0.0.1:" + port)
            .replaceAll("(_read_timeout +)500ms", "$1" + patience);
    return NginxServer.start(port, config);
  }

  private HttpResponse<String> get(NginxServer nginx, String path, String... headers)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(nginx.uri() + path));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  private HttpResponse<String> post(NginxServer nginx, String path, String body) throws Exception {
    return send(
        HttpRequest.newBuilder(URI.create(nginx.uri() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(
        request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void limitsWhatNginxForwards() throws Exception {
    int port = FreePorts.free();
    try (WeirProcess weir = weir(port);
        NginxServer nginx = nginx(port, false)) {
      HttpResponse<String> first = get(nginx, "/a?q", "X-Weir-Bypass", "invented");
      HttpResponse<String> second = get(nginx, "/x/..//a/");
      HttpResponse<String> third = get(nginx, "/a", "X-Forwarded-For", "6.6.6.6");

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isEqualTo("GET  null");
      assertThat(first.headers().firstValue("RateLimit-Policy"))
          .hasValue("\"per-address\";q=2;w=3600");
      assertThat(first.headers().firstValue("RateLimit")).isPresent();
      assertThat(second.statusCode()).isEqualTo(200);
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(Long.parseLong(third.headers().firstValue("Retry-After").orElseThrow()))
          .isBetween(1L, 1800L);
      assertThat(third.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(third.headers().firstValue("Cache-Control")).hasValue("no-store");
      assertThat(post(nginx, "/posts", "body").body()).isEqualTo("POST body null");
      assertThat(post(nginx, "/posts", "body").statusCode()).isEqualTo(429);
      assertThat(get(nginx, "/posts").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void clientsCannotChooseTheDecidedPath() throws Exception {
    int port = FreePorts.free();
    try (WeirProcess weir = weir(port);
        NginxServer nginx = nginx(port, false)) {
      for (int i = 0; i < 2; i++) {
        get(nginx, "/a");
      }
      for (String header :
          new String[] {
            "X-Original-URI", "X-Original-URL", "X-Forwarded-Uri", "X-Original-Method"
          }) {
        assertThat(get(nginx, "/a", header, "/cheap").statusCode()).as(header).isEqualTo(429);
      }
    }
  }

  @Test
  void refusesRequestsThatWeirCannotParse() throws Exception {
    int port = FreePorts.free();
    String large = "x".repeat(6 * 1024);
    String[] more = {"X-One", large, "X-Two", large, "X-Three", large};
    try (WeirProcess weir = weir(port);
        NginxServer nginx = nginx(port, false)) {
      for (int i = 0; i < 20; i++) {
        assertThat(get(nginx, "/a", more).statusCode()).isEqualTo(400);
      }
      HttpResponse<String> noNumber = get(nginx, "/costly", "X-Cost", "much");

      assertThat(noNumber.statusCode()).isEqualTo(400);
      assertThat(noNumber.headers().firstValue("Content-Type"))
          .hasValue("application/problem+json");
      assertThat(get(nginx, "/costly", "X-Cost", "2").statusCode()).isEqualTo(200);
      assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
    }
  }

  /** nginx forwards the path as the client wrote it, and apps normalize it in different ways. */
  @Test
  void refusesAmbiguousPaths() throws Exception {
    int port = FreePorts.free();
    try (WeirProcess weir = weir(port);
        NginxServer nginx = nginx(port, false)) {
      for (String path : new String[] {"/x%2Fa", "/x/..%2fa", "/x%5Ca", "/a%00"}) {
        assertThat(get(nginx, path).statusCode()).as(path).isEqualTo(400);
      }
      assertThat(get(nginx, "/a?q=%2F%5C").statusCode()).isEqualTo(200);
    }
  }

  /** An unexpected status of Weir must not allow requests either. */
  @Test
  void refusesOnInternalErrorsOfWeir() throws Exception {
    HttpServer broken =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    broken.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(500, -1);
          exchange.close();
        });
    broken.start();
    try (NginxServer nginx = nginx(broken.getAddress().getPort(), false)) {
      assertThat(get(nginx, "/a").statusCode()).isEqualTo(503);
    } finally {
      broken.stop(0);
    }
  }

  @Test
  void passesErrorsOfTheAppThrough() throws Exception {
    int port = FreePorts.free();
    try (WeirProcess weir = weir(port);
        NginxServer nginx = nginx(port, false)) {
      assertThat(get(nginx, "/broken").statusCode()).isEqualTo(500);
      assertThat(get(nginx, "/broken").body()).startsWith("GET");
    }
  }

  @Test
  void allowsRequestsWhileWeirIsDownAndLimitsAfterItsReturn() throws Exception {
    int port = FreePorts.free();
    try (NginxServer nginx = nginx(port, false)) {
      try (WeirProcess weir = weir(port)) {
        for (int i = 0; i < 3; i++) {
          get(nginx, "/a");
        }
        assertThat(get(nginx, "/a").statusCode()).isEqualTo(429);
        weir.kill();
        for (int i = 0; i < 5; i++) {
          assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
        }
        assertThat(post(nginx, "/posts", "body").body()).isEqualTo("POST body null");
      }
      try (WeirProcess again = weir(port)) {
        for (int i = 0; i < 2; i++) {
          assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
        }
        assertThat(get(nginx, "/a").statusCode()).isEqualTo(429);
      }
    }
  }

  @Test
  void strictConfigurationRefusesWhileWeirIsDown() throws Exception {
    int port = FreePorts.free();
    try (NginxServer nginx = nginx(port, true);
        WeirProcess weir = weir(port)) {
      assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
      assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
      assertThat(get(nginx, "/a").statusCode()).isEqualTo(429);
      assertThat(get(nginx, "/costly", "X-Cost", "much").statusCode()).isEqualTo(400);
      weir.kill();

      assertThat(get(nginx, "/a").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void strictConfigurationRefusesWhileWeirHangs() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        NginxServer nginx = nginx(silent.getLocalPort(), true, "500ms")) {
      HttpResponse<String> refused = get(nginx, "/a");

      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }
  }

  @Test
  void timesOutIfWeirHangs() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        NginxServer nginx = nginx(silent.getLocalPort(), false, "500ms")) {
      long begun = System.nanoTime();

      assertThat(get(nginx, "/a").statusCode()).isEqualTo(200);
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isBetween(Duration.ofMillis(400), Duration.ofSeconds(5));
    }
  }
}
