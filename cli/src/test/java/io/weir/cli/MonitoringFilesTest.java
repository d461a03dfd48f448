package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alert rules and the dashboard use only metrics that a server exports. */
@Timeout(120)
@Tag("process")
class MonitoringFilesTest {
  private static final Path ALERTS = Path.of("..", "deploy", "prometheus", "weir-alerts.yaml");
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "weir.json");
  private static final Path DOCUMENTATION = Path.of("..", "docs", "operate", "metrics.md");
  private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z_]+");
  private static final Pattern SELECTOR = Pattern.compile("\\b(weir_[a-z_]+)\\{([^}]*)}");
  private static final Pattern MATCHER = Pattern.compile("(\\w+) *(=~|!~|!=|=) *\"([^\"]*)\"");
  private static final Pattern GROUPED =
      Pattern.compile("\\bby \\(([^)]*)\\).*?\\b(weir_[a-z_]+)", Pattern.DOTALL);
  private static final Pattern ASKED_FOR =
      Pattern.compile("label_values\\((weir_[a-z_]+), *(\\w+)\\)");
  private static final Pattern DOCUMENTED =
      Pattern.compile("^\\| (`weir_[^|]*)\\|", Pattern.MULTILINE);

  /** Labels that Prometheus adds to every series. */
  private static final Set<String> ADDED = Set.of("instance", "job");

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

  /** Every text with this name, anywhere in a JSON file. */
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

  /** The exported metrics: the labels of each metric, and the values of each label. */
  private record Exported(Map<String, Map<String, Set<String>>> metrics) {
    static Exported of(String text) {
      Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
      for (String line : text.lines().filter(each -> each.startsWith("weir_")).toList()) {
        Map<String, Set<String>> labels =
            metrics.computeIfAbsent(line.split("[{ ]", 2)[0], name -> new TreeMap<>());
        Matcher label = MATCHER.matcher(line);
        while (label.find()) {
          labels.computeIfAbsent(label.group(1), name -> new TreeSet<>()).add(label.group(3));
        }
      }
      return new Exported(metrics);
    }

    void has(String metric, String label, String expression) {
      assertThat(ADDED.contains(label) || metrics.get(metric).containsKey(label))
          .as("label %s of %s in %s", label, metric, expression)
          .isTrue();
    }

    /** Every alternative of a matcher finds something; dashboard variables are not checked. */
    void has(String metric, String label, String value, String expression) {
      has(metric, label, expression);
      if (value.startsWith("$")) {
        return;
      }
      for (String alternative : value.split("\\|")) {
        assertThat(metrics.get(metric).get(label))
            .as("%s of %s in %s", label, metric, expression)
            .anyMatch(shown -> shown.matches(alternative));
      }
    }
  }

  @Test
  void alertsAndPanelsUseMetricsThatAServerExports() throws Exception {
    List<String> expressions = new ArrayList<>();
    rules().forEach(rule -> expressions.add(rule.expression()));
    expressions.addAll(texts(DASHBOARD, Set.of("expr", "query")));
    Set<String> used = metrics(expressions);
    Exported exported = exported();

    assertThat(used).hasSizeGreaterThan(8);
    assertThat(exported.metrics().keySet()).containsAll(used);
    expressions.forEach(expression -> assertLabelsExist(expression, exported));
    Set<String> documented = documented();
    Set<String> shown = families(exported.metrics().keySet());
    assertThat(documented).containsAll(families(used));
    assertThat(shown).containsAll(documented);
    assertThat(documented).containsAll(shown);
  }

  private static void assertLabelsExist(String expression, Exported exported) {
    Matcher selector = SELECTOR.matcher(expression);
    while (selector.find()) {
      Matcher label = MATCHER.matcher(selector.group(2));
      while (label.find()) {
        exported.has(selector.group(1), label.group(1), label.group(3), expression);
      }
    }
    Matcher grouped = GROUPED.matcher(expression);
    while (grouped.find()) {
      for (String label : grouped.group(1).split(", *")) {
        exported.has(grouped.group(2), label, expression);
      }
    }
    Matcher asked = ASKED_FOR.matcher(expression);
    while (asked.find()) {
      exported.has(asked.group(1), asked.group(2), expression);
    }
  }

  @Test
  void detectsUnknownLabels() {
    Exported exported = Exported.of("weir_a_total{outcome=\"denied\"} 1.0\nweir_b 1.0\n");
    assertLabelsExist("sum by (outcome) (weir_a_total{outcome=~\"den.*\"})", exported);
    for (String wrong :
        List.of(
            "sum(weir_a_total{outcome=\"refused\"})",
            "sum(weir_a_total{outcome=~\"denied|refused\"})",
            "sum(weir_a_total{rule=\"x\"})",
            "sum by (rule) (rate(weir_a_total[5m]))",
            "label_values(weir_b, rule)")) {
      assertThatThrownBy(() -> assertLabelsExist(wrong, exported))
          .as(wrong)
          .isInstanceOf(AssertionError.class);
    }
  }

  /** The metric names in the tables of the page; reserved names are elsewhere. */
  private static Set<String> documented() throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher row = DOCUMENTED.matcher(Files.readString(DOCUMENTATION));
    while (row.find()) {
      names.addAll(metrics(List.of(row.group(1))));
    }
    assertThat(names).hasSizeGreaterThan(25);
    return names;
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
  void refusalsAloneCauseNoPage() throws IOException {
    assertThat(rules())
        .filteredOn(rule -> rule.expression().contains("outcome=\"denied\""))
        .allMatch(rule -> rule.expression().contains("offset"), "compares with what is usual");
  }

  /** Histograms have several series. */
  private static Set<String> families(Set<String> names) {
    Set<String> families = new TreeSet<>();
    names.forEach(name -> families.add(name.replaceAll("_(bucket|count|sum|max)$", "")));
    return families;
  }

  /** The metrics of a gateway with Redis, Envoy limits and a bypass after some traffic. */
  private Exported exported() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { http: 127.0.0.1:0, grpc: 127.0.0.1:0, admin: 127.0.0.1:0,"
                + " gateway: 127.0.0.1:0 }\nrules: { file: rules.yaml, envoy: limits }\n"
                + "store: { redis: { timeout: 2s } }\nidentity: { jwt: { jwks: jwks.json } }\n");
    Files.writeString(folder.resolve("jwks.json"), "{\"keys\":[]}");
    Files.writeString(
        Files.createDirectory(folder.resolve("limits")).resolve("shop.yaml"),
        "domain: shop\ndescriptors:"
            + " [{ key: plan, rate_limit: { unit: day, requests_per_unit: 10 } }]\n");
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
      get(weir.url("gateway"));
      String key = (String) ((List<?>) redis.command("KEYS", "weir:1:{*}:two:*")).get(0);
      redis.command("SET", key, "not a bucket"); // for weir_store_invalid_values_total
      get(weir.url("gateway"));
      String admin = weir.bannerLine("admin");
      redis.close();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                get(weir.url("gateway"));
                return get(admin).contains("weir_store_errors_total");
              });
      return Exported.of(get(admin));
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
