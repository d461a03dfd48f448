package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.testkit.process.FreePorts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(60)
@Tag("process")
class GatewayCommandTest {
  @TempDir Path folder;
  private HttpServer app;

  @BeforeEach
  void startApp() throws IOException {
    app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    app.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("hi".getBytes(java.nio.charset.StandardCharsets.UTF_8));
          exchange.close();
        });
    app.start();
  }

  @AfterEach
  void stopApp() {
    app.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + app.getAddress().getPort();
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void forwardsUntilTheSampleRulesRefuseAndStopsOnSigterm() throws Exception {
    try (WeirProcess weir =
        WeirProcess.start(
            folder, "gateway", "--upstream", url(), "--port", "0", "--admin-port", "0")) {
      String gateway = weir.url("gateway");
      assertThat(weir.bannerLine("gateway"))
          .isEqualTo(gateway.replace("127.0.0.1", "0.0.0.0") + " (all interfaces)");
      int passed = 0;
      while (get(gateway + "/").statusCode() == 200) {
        passed++;
      }

      assertThat(passed).isBetween(5, 10);
      assertThat(weir.bannerLine("upstream")).isEqualTo("/ at " + url());
      weir.process().destroy(); // SIGTERM
      assertThat(weir.process().waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(weir.process().exitValue()).isZero();
    }
  }

  @Test
  void opensTheDecisionPortsOnlyIfConfigured() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { http: 127.0.0.1:0, gateway: 127.0.0.1:0, admin: 127.0.0.1:0 }\n"
                + "gateway: { upstream: \"http://127.0.0.1:1\", upstreams: { /x: \"http://127.0.0.1:1\" } }\n");
    StringWriter out = new StringWriter();
    GatewayCommand gateway = new GatewayCommand();
    new CommandLine(gateway)
        .setOut(new PrintWriter(out))
        .parseArgs("--config", config.toString(), "--upstream", url());
    try (var server = gateway.start(Map.of("XDG_STATE_HOME", folder.toString()))) {
      assertThat(out.toString())
          .contains("gateway    http://" + server.gateway())
          .contains("upstream   /x at http://127.0.0.1:1")
          .contains("upstream   / at " + url())
          .contains("decisions  http://" + server.http())
          .contains("curl -si http://" + server.gateway() + "/");
      assertThat(get("http://" + server.gateway() + "/").body()).isEqualTo("hi");
      assertThat(get("http://" + server.http() + "/healthz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void listensOnThePortOfThePlatform() throws Exception {
    int port = FreePorts.free();
    GatewayCommand gateway = new GatewayCommand();
    new CommandLine(gateway)
        .setOut(new PrintWriter(new StringWriter()))
        .parseArgs("--upstream", url(), "--port", "" + port, "--admin-port", "0");
    Map<String, String> environment =
        Map.of("PORT", "" + port, "GRPC_PORT", "" + port, "XDG_STATE_HOME", folder.toString());
    try (var server = gateway.start(environment)) {
      assertThat(server.servesDecisions()).isFalse();
      assertThat(server.grpc()).isEmpty();
      assertThat(get("http://127.0.0.1:" + port + "/healthz").body()).isEqualTo("hi");
    }
  }

  @Test
  void serveWithAnUpstreamServesBoth() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { gateway: 127.0.0.1:0 }\ngateway: { upstream: \"" + url() + "\" }\n");
    ServeCommand serve = new ServeCommand();
    new CommandLine(serve)
        .setOut(new PrintWriter(new StringWriter()))
        .parseArgs("--config", config.toString(), "--port", "0", "--admin-port", "0");
    try (var server = serve.start(Map.of("XDG_STATE_HOME", folder.toString()))) {
      assertThat(get("http://" + server.gateway() + "/").body()).isEqualTo("hi");
      assertThat(get("http://" + server.http() + "/healthz").statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gateway | no upstream is set",
        "gateway --upstream ftp://x | is not an upstream such as",
        "gateway --upstream http://x/y | has more than a host and a port",
        "gateway --upstream http://x --port 70000 | port 70000"
      })
  void exitsWithTwoAndTheReason(String arguments, String reason) {
    CommandRun run = CommandRun.of(arguments.split(" "));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).startsWith("weir: ").contains(reason);
  }
}
