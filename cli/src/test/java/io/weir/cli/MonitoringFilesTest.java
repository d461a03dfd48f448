package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpServer;
import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alert rules and the dashboard speak of metrics that a server really has. */
@Timeout(120)
class MonitoringFilesTest {
  private static final Path ALERTS = Path.of("..", "deploy", "prometheus", "weir-alerts.yaml");
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "weir.json");
  private static final Path DOCUMENTATION = Path.of("..", "docs", "metrics.md");
  private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z_]+");
  private static final Pattern RECORDED = Pattern.compile("\\bweir:[a-z0-9:_]+");

  @TempDir private Path folder;

  private record Rule(String name, String expression, boolean isAlert) {}

  @SuppressWarnings("unchecked")
  private static List<Rule> rules() throws IOException {
    Map<String, Object> file =
        (Map<String, Object>)
            new Load(LoadSettings.builder().build()).loadFromString(Files.readString(ALERTS));
    List<Rule> rules = new ArrayList<>();
    for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
      for (Map<String, Object> rule : (List<Map<String, Object>>) group.get("rules")) {
        boolean alert = rule.containsKey("alert");
        Object name = rule.get(alert ? "alert" : "record");
        rules.add(new Rule(String.valueOf(name), String.valueOf(rule.get("expr")), alert));
        if (alert) {
          assertThat(((Map<String, Object>) rule.get("labels")).get("severity"))
              .isIn("page", "ticket");
          assertThat((Map<String, Object>) rule.get("annotations")).containsKey("summary");
        }
      }
    }
    return rules;
  }

  /** Every text under this name, wherever it stands in a JSON file. */
  private static List<String> texts(Path file, Set<String> names) throws IOException {
    List<String> texts = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_STRING && names.contains(String.valueOf(json.currentName()))) {
          texts.add(json.getText());
        }
      }
    }
    return texts;
  }

  private static Set<String> metrics(Iterable<String> expressions) {
    Set<String> names = new TreeSet<>();
    for (String expression : expressions) {
      Matcher found = METRIC.matcher(expression);
      while (found.find()) {
        names.add(found.group());
      }
    }
    return names;
  }

  @Test
  void alertsAndPanelsUseMetricsThatAServerExports() throws Exception {
    List<String> expressions = new ArrayList<>();
    rules().forEach(rule -> expressions.add(rule.expression()));
    expressions.addAll(texts(DASHBOARD, Set.of("expr", "query")));
    Set<String> used = metrics(expressions);
    Set<String> exported = exported();

    assertThat(used).hasSizeGreaterThan(8);
    assertThat(exported).containsAll(used);
    Set<String> documented = metrics(List.of(Files.readString(DOCUMENTATION)));
    assertThat(documented.stream().map(MonitoringFilesTest::family).toList())
        .containsAll(used.stream().map(MonitoringFilesTest::family).toList());
  }

  @Test
  void alertsUseRatiosThatAreRecorded() throws IOException {
    List<String> recorded =
        rules().stream().filter(rule -> !rule.isAlert()).map(Rule::name).toList();
    for (Rule rule : rules()) {
      Matcher found = RECORDED.matcher(rule.expression());
      while (found.find()) {
        assertThat(recorded).contains(found.group());
      }
      assertThat(rule.expression().chars().filter(c -> c == '(').count())
          .as(rule.name())
          .isEqualTo(rule.expression().chars().filter(c -> c == ')').count());
    }
  }

  @Test
  void nobodyIsWokenByPlainRefusals() throws IOException {
    assertThat(rules())
        .filteredOn(rule -> rule.expression().contains("outcome=\"denied\""))
        .allMatch(rule -> rule.expression().contains("offset"), "compares with what is usual");
  }

  /** Histograms have three series, counters a suffix. */
  private static String family(String name) {
    return name.replaceAll("_(bucket|count|sum|max)$", "");
  }

  /** What a gateway with a Redis, limits for Envoy and a bypass shows after some traffic. */
  private Set<String> exported() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { http: 127.0.0.1:0, grpc: 127.0.0.1:0, admin: 127.0.0.1:0,"
                + " gateway: 127.0.0.1:0 }\nrules: { file: rules.yaml }\n"
                + "store: { redis: { timeout: 2s } }\n");
    Files.writeString(
        folder.resolve("rules.yaml"),
        "version: 1\nbypass:\n- { id: smoke, token_sha256: \""
            + "0".repeat(64)
            + "\", limit: 1/s,"
            + " expires: 2999-01-01 }\nrules:\n- { id: two, key: [ip], limit: 2/h }\n- { id: wide, key: [], limit: 100000/s }\n"
            + "- { id: window, key: [ip], limit: { algorithm: sliding-window, rate: 100/min } }\n");
    HttpServer app =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    app.start();
    try (RedisServer redis = RedisServer.start();
        WeirProcess weir =
            WeirProcess.start(
                folder,
                "gateway",
                "--config",
                config.toString(),
                "--redis",
                redis.uri(),
                "--upstream",
                "http://127.0.0.1:" + app.getAddress().getPort())) {
      get(weir.said("gateway"));
      String admin = weir.said("admin");
      redis.close();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                get(weir.said("gateway"));
                return get(admin).contains("weir_store_errors_total");
              });
      Set<String> names = new TreeSet<>();
      get(admin)
          .lines()
          .filter(line -> line.startsWith("weir_"))
          .forEach(line -> names.add(line.split("[{ ]", 2)[0]));
      return names;
    } finally {
      app.stop(0);
    }
  }

  private static String get(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
        .body();
  }
}
