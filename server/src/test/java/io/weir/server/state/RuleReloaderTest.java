package io.weir.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.rule.RuleSet;
import io.weir.server.WeirServer;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.LogCapture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleReloaderTest {
  private static final String LOOK = "{\"attributes\":{\"user\":\"1\"},\"cost\":0}";
  private static final String FRESH = "weir_rules_stale_seconds 0.0";

  @Test
  void appliesANewLimitWithinTwoSecondsAndKeepsCounts() throws Exception {
    try (TestServer server = TestServer.with("{ id: one, key: [user], limit: 5/h }")) {
      server.check("{\"attributes\":{\"user\":\"1\"},\"cost\":3}");

      Files.writeString(server.rules, TestServer.document("{ id: one, key: [user], limit: 50/h }"));

      await()
          .atMost(Duration.ofSeconds(2))
          .untilAsserted(
              () -> {
                JsonObject now = server.check(LOOK);
                assertThat(now.getLong("limit")).isEqualTo(50);
                assertThat(now.getLong("remaining")).isEqualTo(47);
              });
      assertThat(server.admin("/metrics").body()).contains("weir_rules_version 2.0");
    }
  }

  @Test
  void measuresThePropagationTimeOfAChange() throws Exception {
    try (TestServer server = TestServer.with("{ id: one, key: [user], limit: 5/h }")) {
      assertThat(server.metric("weir_rules_propagation_seconds_count")).hasValue(0);

      Files.writeString(server.rules, TestServer.document("{ id: one, key: [user], limit: 6/h }"));

      await().until(() -> server.metric("weir_rules_propagation_seconds_count").orElseThrow() == 1);
      assertThat(server.metric("weir_rules_propagation_seconds_max").orElseThrow())
          .isBetween(0.0, 2.0);
    }
  }

  @Test
  void keepsTheRulesWhenAnEditIsInvalid() throws Exception {
    try (TestServer server = TestServer.with("{ id: one, key: [user], limit: 5/h }")) {
      Files.writeString(server.rules, TestServer.document("{ id: one, key: [user], limit: lots }"));
      Files.writeString(
          server.folder.resolve("other.yaml"), "not part of it, and so without effect");
      await()
          .during(Duration.ofMillis(1500))
          .atMost(Duration.ofSeconds(3))
          .until(() -> server.check(LOOK).getLong("limit") == 5);

      Files.writeString(server.rules, TestServer.document("{ id: two, key: [user], limit: 7/h }"));
      await().atMost(Duration.ofSeconds(2)).until(() -> server.check(LOOK).getLong("limit") == 7);
      assertThat(server.admin("/metrics").body())
          .contains("rule=\"two\"")
          .doesNotContain("rule=\"one\"");
    }
  }

  /** Replacing rules returns all leases, and calls have to request them again. */
  @Test
  void equalRulesAreNotReplaced() throws Exception {
    String document = TestServer.document("{ id: one, key: [user], limit: 5/h }");
    try (TestServer server = TestServer.with("{ id: one, key: [user], limit: 5/h }")) {
      RuleSet before = server.server.rules();

      try (LogCapture log = LogCapture.of(RuleReloader.class)) {
        Files.writeString(server.rules, "# as agreed\n" + document);
        await().until(() -> log.messages().contains("rules: reloaded, no changes"));
      }
      assertThat(server.server.rules()).isSameAs(before);

      Files.writeString(server.rules, document.replace("5/h", "lots"));
      await().until(() -> !server.admin("/metrics").body().contains(FRESH));
      Files.writeString(server.rules, document);
      await().until(() -> server.admin("/metrics").body().contains(FRESH));
      assertThat(server.server.rules()).isSameAs(before);

      Files.writeString(server.rules, document.replace("5/h", "6/h"));
      await().until(() -> server.check(LOOK).getLong("limit") == 6);
    }
  }

  @Test
  void logsThatTheFileIsValidAgainAndKeepsTheVersionOfEqualRules() throws Exception {
    String document = TestServer.document("{ id: one, key: [user], limit: 5/h }");
    try (TestServer server = TestServer.with("{ id: one, key: [user], limit: 5/h }");
        LogCapture log = LogCapture.of(RuleReloader.class)) {
      Files.writeString(server.rules, document.replace("5/h", "lots"));
      await().until(() -> log.messages().stream().anyMatch(line -> line.contains("is invalid")));
      Files.writeString(server.rules, document);
      await().until(() -> log.messages().contains("rules: valid again; no changes"));
      // The log's rate limit does not apply to lines with this marker.
      assertThat(log.marked("STATE_CHANGE"))
          .containsExactly(
              "rules: the change is invalid; the rules in force are kept",
              "rules: valid again; no changes");
      assertThat(server.metric("weir_rules_version")).hasValue(1);
      assertThat(server.metric("weir_rules_propagation_seconds_count")).hasValue(0);

      Files.writeString(server.rules, document.replace("5/h", "lots"));
      await().until(() -> !server.admin("/metrics").body().contains(FRESH));
      Files.writeString(server.rules, document.replace("5/h", "6/h"));
      await()
          .until(
              () ->
                  log.messages().stream()
                      .anyMatch(line -> line.startsWith("rules: valid again; rule one")));
      assertThat(server.metric("weir_rules_version")).hasValue(2);
    }
  }

  @Test
  void warnsAboutKeysThatGatewayRequestsNeverHave() throws Exception {
    String warning =
        ":3: warning: rule %s: key names %s, which requests to the gateway never have, as identity"
            + " gives only ip: on_missing decides";
    try (EchoUpstream upstream = new EchoUpstream();
        LogCapture log = LogCapture.of(RuleReloader.class);
        TestGateway gateway =
            TestGateway.before(upstream.url(), "{ id: one, key: [user], limit: 5/h }")) {
      Path rules = gateway.server.rules;
      assertThat(log.withLevels())
          .contains("WARN rules: " + rules + warning.formatted("one", "user"));

      Files.writeString(rules, TestServer.document("{ id: two, key: [plan], limit: 5/h }"));
      await()
          .untilAsserted(
              () ->
                  assertThat(log.messages())
                      .contains("rules: " + rules + warning.formatted("two", "plan")));
    }
  }

  @Test
  void startsWithTheLastGoodRules(@TempDir Path folder) throws Exception {
    Path rules = folder.resolve("r.yaml");
    ServerConfig config =
        ServerConfig.DEFAULT
            .http(new ListenAddress("127.0.0.1", 0))
            .admin(new ListenAddress("127.0.0.1", 0))
            .grpc(new ListenAddress("127.0.0.1", 0))
            .rules(rules);
    Files.writeString(
        rules, "version: 1\nrules: [ { id: a, key: [], limit: x }, { id: b, key: [], limit: y } ]");
    assertThatThrownBy(() -> WeirServer.start(config))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.reasons())
                    .hasSize(2)
                    .allMatch(line -> line.startsWith(rules + ":2: ")));

    ServerConfig remembering = config.stateFolder(folder.resolve("state"));
    Files.writeString(rules, TestServer.document("{ id: good, limit: 5/s }"));
    WeirServer.start(remembering).close();
    Files.writeString(rules, "version: 1\nrules: [ { id: a, limit: x } ]");
    try (WeirServer server = WeirServer.start(remembering)) {
      assertThat(server.rules().rule("good")).isPresent();
    }
  }
}
