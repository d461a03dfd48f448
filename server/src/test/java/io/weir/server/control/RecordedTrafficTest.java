package io.weir.server.control;

import static io.weir.server.control.ControlledServer.anna;
import static io.weir.server.control.ControlledServer.document;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.config.ControlSettings;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.RuleOperations.Intent;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.server.control.RuleOperations.PublishRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the control plane knows of past calls: what-if at publish, and usage of quotas. */
class RecordedTrafficTest {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final int USERS = 40;

  @TempDir Path folder;

  private ServerConfig config(String limit) throws IOException {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), document(limit));
    return ControlledServer.config(folder.resolve("state")).rules(rules);
  }

  private static ControlledServer open(ServerConfig config) {
    ControlledServer server = ControlledServer.open(config);
    await().atMost(SOON).until(() -> server.plane().local().version() > 0);
    return server;
  }

  private static PublishRequest request(String limit, Intent intent) {
    return new PublishRequest(
        new TreeMap<>(Map.of("rules.yaml", document(limit))), false, intent, OptionalLong.of(1));
  }

  private static Intent intent(String expected, String failOver) {
    return new Intent(
        "now",
        Optional.of(expected).filter(it -> !it.isEmpty()),
        Optional.of(failOver).filter(it -> !it.isEmpty()));
  }

  private static void send(ControlledServer server) {
    for (int user = 0; user < USERS; user++) {
      for (int call = 0; call < 3; call++) {
        server.check("u" + user);
      }
    }
  }

  @Test
  void aChangeThatWouldRefuseManyKeysNeedsAnExpectation() throws Exception {
    try (ControlledServer server = open(config("5/h"))) {
      send(server);
      RuleOperations rules = server.plane().rules();

      assertThat(rules.publish(request("1/h", intent("", "")), anna("a typo")))
          .isInstanceOfSatisfying(
              PublishOutcome.Refused.class,
              no -> {
                assertThat(no.code()).isEqualTo("needs_expect");
                assertThat(no.reason()).contains(USERS + " of " + USERS + " keys");
                assertThat(no.whatIf()).contains("\"rules\"");
              });
      assertThat(rules.check(request("1/h", intent("100%", "1%"))))
          .isInstanceOfSatisfying(
              PublishOutcome.Refused.class, no -> assertThat(no.code()).isEqualTo("refused_over"));
      assertThat(rules.publish(request("1/h", intent("10%", "")), anna("intended")))
          .isInstanceOfSatisfying(
              PublishOutcome.Published.class,
              published -> {
                assertThat(published.warnings()).hasSize(1);
                assertThat(published.version().whatIf()).isNotEmpty();
              });
    }
  }

  @Test
  void nothingIsPredictedIfRecordingIsOff() throws Exception {
    ControlSettings off = new ControlSettings(Optional.empty(), Optional.empty(), false, false);
    try (ControlledServer server = open(config("5/h").control(off))) {
      send(server);

      assertThat(server.plane().rules().publish(request("1/h", intent("", "")), anna("lower")))
          .isInstanceOf(PublishOutcome.Published.class);
    }
  }

  @Test
  void theUsageOfAQuotaSurvivesARestart() throws Exception {
    ServerConfig config = config("quota 10/day");
    try (ControlledServer server = open(config)) {
      for (int call = 0; call < 8; call++) {
        assertThat(server.check("42").getBoolean("allowed")).isTrue();
      }
    }
    try (ControlledServer again = open(config)) {
      assertThat(again.check("42").getLong("remaining")).isEqualTo(9);

      await()
          .atMost(SOON)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> again.remaining("42") <= 2);
    }
  }
}
