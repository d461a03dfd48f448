package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.WeirServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the startup banner works. */
class StartupBannerTest {
  private static final Pattern CHECK =
      Pattern.compile("curl -s( -H '([A-Za-z]+): (.*?)')? (http://\\S+) -d '(.*)'");

  @TempDir Path folder;

  /** A started server, and the last two lines of its banner. */
  private record StartedServer(WeirServer server, String note, String command)
      implements AutoCloseable {
    /** Sends the request of the curl command. */
    HttpResponse<String> run(String token) throws Exception {
      Matcher curl = CHECK.matcher(command);
      assertThat(curl.matches()).as(command).isTrue();
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(curl.group(4)))
              .POST(HttpRequest.BodyPublishers.ofString(curl.group(5)));
      if (curl.group(2) != null) {
        request.header(curl.group(2), curl.group(3).replace("TOKEN", token));
      }
      return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private StartedServer serve(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    ServeCommand serve = new ServeCommand();
    List<String> all =
        new java.util.ArrayList<>(List.of("--port", "0", "--admin-port", "0", "--grpc-port", "0"));
    all.addAll(List.of(arguments));
    new picocli.CommandLine(serve)
        .setOut(new PrintWriter(out))
        .parseArgs(all.toArray(String[]::new));
    Map<String, String> complete = new HashMap<>(environment);
    complete.put("XDG_STATE_HOME", folder.resolve("state").toString());
    WeirServer server = serve.start(complete);
    List<String> lines = out.toString().lines().toList();
    return new StartedServer(
        server, lines.get(lines.size() - 2).strip(), lines.get(lines.size() - 1).strip());
  }

  private String rules(String rule) throws IOException {
    return Files.writeString(
            folder.resolve("rules.yaml"), "version: 1\nrules:\n  - { " + rule + " }\n")
        .toString();
  }

  @Test
  void printsACallThatTheSampleSoonRefuses() throws Exception {
    try (StartedServer started = serve(Map.of())) {
      assertThat(started.note()).isEqualTo("try this, a few times:");
      for (int i = 0; i < 6; i++) {
        started.run("");
      }
      assertThat(started.run("").body()).contains("\"allowed\":false", "\"rule\":\"front-page\"");
    }
  }

  @Test
  void printsACallThatTheRuleMatches() throws Exception {
    String rules =
        rules(
            "id: mine, match: { methods: [PUT], path: '/v1/things/{id}/**', hosts: ['*.example.com'],"
                + " attributes: { plan: [gold] } }, key: [user], limit: 3/h");
    try (StartedServer started = serve(Map.of(), "--rules", rules)) {
      assertThat(started.note()).isEqualTo("try this, a few times:");
      for (int i = 0; i < 3; i++) {
        assertThat(started.run("").body()).contains("\"allowed\":true", "\"rule\":\"mine\"");
      }
      assertThat(started.run("").body()).contains("\"allowed\":false");
    }
  }

  @Test
  void announcesNoRefusalForALargeLimit() throws Exception {
    try (StartedServer started =
        serve(Map.of(), "--rules", rules("id: wide, key: [ip], limit: 1000/s"))) {
      assertThat(started.note()).isEqualTo("try this:");
      assertThat(started.run("").body()).contains("\"rule\":\"wide\"");
    }
  }

  @Test
  void printsNoCallWithoutARule() throws Exception {
    try (StartedServer started =
        serve(Map.of(), "--rules", rules("id: none, key: [ip], limit: 1/s, mode: off"))) {
      assertThat(started.command()).doesNotContain("curl");
    }
  }

  @Test
  void namesTheTokenIfOneIsNeeded() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "callers: { tokens: [3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0] }\n");
    try (StartedServer started = serve(Map.of(), "--config", config.toString())) {
      assertThat(started.note())
          .isEqualTo("try this, a few times, with TOKEN, one of callers.tokens:");
      assertThat(started.command()).contains(" -H 'Authorization: Bearer TOKEN' ");
      assertThat(started.run("token").body()).contains("\"rule\":\"front-page\"");
    }
  }

  @Test
  void printsAnEnvoyRequestIfOnlyEnvoyLimitsAreLoaded() throws Exception {
    Path files = Files.createDirectories(folder.resolve("runtime/config"));
    Files.writeString(
        files.resolve("shop.yaml"),
        """
        domain: shop
        descriptors:
          - key: plan
            value: gold
            descriptors:
              - key: remote_address
                rate_limit: { unit: hour, requests_per_unit: 2 }
        """);
    try (StartedServer started = serve(Map.of("RUNTIME_ROOT", files.getParent().toString()))) {
      assertThat(started.note()).isEqualTo("try this, a few times:");
      assertThat(started.command())
          .endsWith(
              "/json -d '{\"domain\":\"shop\",\"descriptors\":[{\"entries\":["
                  + "{\"key\":\"plan\",\"value\":\"gold\"},"
                  + "{\"key\":\"remote_address\",\"value\":\"192.0.2.1\"}]}]}'");
      assertThat(started.run("").statusCode()).isEqualTo(200);
      assertThat(started.run("").statusCode()).isEqualTo(200);
      assertThat(started.run("").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void quotesPathsWithShellCharacters() {
    String url = "http://127.0.0.1:8000";

    assertThat(ExampleCommand.send(url, toGet("/v1/a_b~c:d")).command())
        .isEqualTo("curl -si http://127.0.0.1:8000/v1/a_b~c:d");
    assertThat(ExampleCommand.send(url, toGet("/a&b('1')")).command())
        .isEqualTo("curl -si 'http://127.0.0.1:8000/a&b('\\''1'\\'')'");
  }

  private static ExampleCall toGet(String path) {
    return new ExampleCall("GET", path, "", Map.of(), false);
  }
}
