package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.InternalErrors;
import io.weir.server.state.RuleReloader;
import io.weir.testkit.LogCapture;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Thousands of rules do not make a scrape of megabytes, and no counter decreases. */
class RuleDecisionsTest {
  private final Metrics metrics = new Metrics(new InternalErrors());
  private final Engine engine = Engine.builder().rules(RuleSet.EMPTY).listener(metrics).build();

  private static Rule rule(String id) {
    return Rule.named(id).match(Match.path("/" + id)).limit(Limit.perHour(100)).build();
  }

  private static List<String> numbered(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> "r" + i).toList();
  }

  private void use(List<String> ids) {
    RuleSet rules = RuleSet.of(ids.stream().map(RuleDecisionsTest::rule).toArray(Rule[]::new));
    engine.replaceRules(rules);
    metrics.rules(rules);
  }

  private void call(String id, int times) {
    for (int i = 0; i < times; i++) {
      engine.check(Call.of("GET", "/" + id));
    }
  }

  private long allowed(String id) {
    String name = "weir_decisions_total{outcome=\"allowed\",rule=\"" + id + "\"} ";
    return metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElse(-1);
  }

  @Test
  void fiveThousandRulesMakeAScrapeOfAFewHundredKilobytes() {
    use(numbered(1, 5000));
    call("r1000", 2);
    call("r1001", 3);
    call("r5000", 4);

    String scrape = metrics.scrape();
    assertThat(scrape.length()).isLessThan(500_000);
    assertThat(scrape).contains("weir_rules_folded 4000.0");
    assertThat(allowed("r1000")).isEqualTo(2);
    assertThat(allowed("r1001")).isEqualTo(-1);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(7);
    assertThat(metrics.outcomesOf("r5000")).containsEntry("allowed", 4L);
  }

  @Test
  void aThousandRulesHaveTheirOwnSeries() {
    use(numbered(1, 1000));

    assertThat(metrics.scrape())
        .contains("weir_rules_folded 0.0")
        .doesNotContain(",rule=\"_other\"");
  }

  @Test
  void aRuleKeepsItsSeriesWhenOthersComeBeforeIt() {
    use(numbered(1, 1000));
    call("r1000", 5);
    use(Stream.concat(Stream.of("first"), numbered(1, 1000).stream()).toList());
    call("first", 2);
    call("r1000", 1);

    assertThat(allowed("r1000")).isEqualTo(6);
    assertThat(allowed("first")).isEqualTo(-1);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(2);
  }

  @Test
  void noCounterDecreasesWhenRulesChange() {
    use(numbered(1, 1002));
    call("r1001", 5);
    call("r1002", 7);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(12);

    use(numbered(2, 1002)); // r1 is gone, and r1001 gets its place
    assertThat(allowed("r1001")).isZero();
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(12);
    call("r1001", 1);
    call("r1002", 1);
    assertThat(allowed("r1001")).isEqualTo(1);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(13);
    assertThat(metrics.outcomesOf("r1001")).containsEntry("allowed", 6L);

    use(numbered(2, 1001)); // r1002 is gone
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(13);
    assertThat(metrics.scrape()).contains("weir_rules_folded 0.0");
    use(numbered(2, 1003));
    call("r1003", 1);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(14);
  }

  @Test
  void aRuleWithTheSharedNameIsCountedThere() {
    use(List.of("a", RuleDecisions.OTHER));
    call("a", 1);
    call(RuleDecisions.OTHER, 2);

    assertThat(allowed("a")).isEqualTo(1);
    assertThat(allowed(RuleDecisions.OTHER)).isEqualTo(2);
  }

  @Test
  void logsTheNumberOfRulesThatShareSeries() {
    String[] rules =
        IntStream.rangeClosed(1, 1003)
            .mapToObj(i -> "{ id: r" + i + ", match: { path: /" + i + " }, key: [], limit: 1/s }")
            .toArray(String[]::new);
    try (LogCapture log = LogCapture.of(RuleReloader.class);
        TestServer server = TestServer.with(rules)) {
      assertThat(log.messages())
          .contains(
              "rules: 3 of 1003 rules have no metrics of their own and are counted as"
                  + " rule=\"_other\"");
      assertThat(server.metric("weir_over_admission_ratio{rule=\"_other\"}")).hasValue(0);
      assertThat(server.metric("weir_over_admission_ratio{rule=\"r1001\"}")).isEmpty();
    }
  }
}
