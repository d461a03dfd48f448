package io.weir.server.control;

import static io.weir.server.control.ControlledServer.anna;
import static io.weir.server.control.ControlledServer.document;
import static io.weir.server.control.ControlledServer.now;
import static io.weir.server.control.ControlledServer.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.store.RolloutState;
import io.weir.control.store.Tenant;
import io.weir.control.store.VersionSummary;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.RuleOperations.Intent;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.server.control.RuleOperations.PublishRequest;
import io.weir.server.control.RuleOperations.RepublishRequest;
import io.weir.server.control.RuleOperations.RolloutAction;
import io.weir.server.control.RuleOperations.RolloutOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules in a file, with the embedded database. */
class FileRulesTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir Path folder;
  private Path rules;

  @BeforeEach
  void write() throws IOException {
    rules = folder.resolve("rules.yaml");
    Files.writeString(rules, document("5/h"));
  }

  private ServerConfig config() {
    return ControlledServer.config(folder.resolve("state")).rules(rules);
  }

  private static ControlledServer withVersion(ServerConfig config, long version) {
    ControlledServer server = ControlledServer.open(config);
    await().atMost(SOON).until(() -> server.plane().local().version() == version);
    return server;
  }

  @Test
  void theFirstStartMakesTheFileAVersion() {
    try (ControlledServer server = withVersion(config(), 1)) {
      assertThat(server.history()).extracting(VersionSummary::author).containsExactly("file");
      assertThat(server.metric("weir_rules_version")).hasValue(1);
      assertThat(server.stores().rollouts().find(1).orElseThrow().state())
          .isEqualTo(RolloutState.BAKING);
    }
  }

  @Test
  void aPublishIsInForceAtOnceAndInTheFileWithItsComments() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      PublishOutcome outcome = server.publish(document("50/h"), 1);

      assertThat(outcome)
          .isInstanceOfSatisfying(
              PublishOutcome.Published.class,
              published -> {
                assertThat(published.version().number()).isEqualTo(2);
                assertThat(published.changes()).hasSize(1);
                assertThat(published.changes().get(0).toString()).contains("5/h → 50/h (raised)");
              });
      server.awaitLimit("50/h", SOON);
      assertThat(Files.readString(rules)).isEqualTo(document("50/h"));
      assertThat(server.history())
          .extracting(VersionSummary::author)
          .containsExactly("anna", "file");
      assertThat(server.plane().local().propagation()).isPresent();
    }
  }

  @Test
  void anEditByHandIsInForceAndBecomesAVersion() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      Files.writeString(rules, document("7/h"));

      server.awaitLimit("7/h", SOON);
      await().atMost(SOON).until(() -> server.plane().local().version() == 2);
      assertThat(server.history())
          .extracting(VersionSummary::author)
          .containsExactly("file", "file");
      assertThat(server.stores().rollouts().find(1).orElseThrow().state())
          .isEqualTo(RolloutState.SUPERSEDED);
    }
  }

  @Test
  void aRestartKeepsHistoryAndSeesEditsMadeMeanwhile() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      server.publish(document("50/h"), 1);
    }
    try (ControlledServer again = withVersion(config(), 2)) {
      assertThat(again.limit()).contains("50/h");
      assertThat(again.history()).hasSize(2);
    }
    Files.writeString(rules, document("9/h"));
    try (ControlledServer third = withVersion(config(), 3)) {
      assertThat(third.history().get(0).author()).isEqualTo("file");
      assertThat(third.limit()).contains("9/h");
    }
  }

  @Test
  void aPublishBasedOnAnOlderVersionIsStale() {
    try (ControlledServer server = withVersion(config(), 1)) {
      assertThat(server.publish(document("6/h"), 0)).isEqualTo(new PublishOutcome.Stale(1));
      assertThat(server.history()).hasSize(1);
    }
  }

  @Test
  void anEditThatWasNotSeenYetComesFirst() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      Files.writeString(rules, document("7/h"));

      assertThat(server.publish(document("6/h"), 1)).isEqualTo(new PublishOutcome.Stale(2));
      assertThat(Files.readString(rules)).isEqualTo(document("7/h"));
    }
  }

  @Test
  void theTextInForceIsNoNewVersion() {
    try (ControlledServer server = withVersion(config(), 1)) {
      assertThat(server.publish(document("5/h"), 1)).isEqualTo(new PublishOutcome.Unchanged(1));
    }
  }

  @Test
  void invalidDocumentsChangeNothingAndNameTheLine() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      PublishOutcome outcome =
          server.plane().rules().publish(request("my.yaml", document("x"), 1), anna("a slip"));

      assertThat(outcome)
          .isInstanceOfSatisfying(
              PublishOutcome.Invalid.class,
              invalid ->
                  assertThat(invalid.problems().get(0).toString())
                      .startsWith("my.yaml:4: rule one"));
      assertThat(Files.readString(rules)).isEqualTo(document("5/h"));
      assertThat(server.history()).hasSize(1);
    }
  }

  @Test
  void aDryRunChangesNothing() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      PublishRequest request =
          new PublishRequest(
              new TreeMap<>(Map.of("rules.yaml", document("6/h"))),
              false,
              now(),
              OptionalLong.empty());

      assertThat(server.plane().rules().check(request))
          .isInstanceOfSatisfying(
              PublishOutcome.Checked.class, checked -> assertThat(checked.changes()).hasSize(1));
      assertThat(Files.readString(rules)).isEqualTo(document("5/h"));
      assertThat(server.history()).hasSize(1);
    }
  }

  @Test
  void aRollbackRestoresTheFileAndKeepsTheRefusedText() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      advance(server, 1);
      server.publish(document("50/h"), 1);
      server.awaitLimit("50/h", SOON);

      assertThat(server.plane().rules().act(2, RolloutAction.ROLLBACK, anna("customers refused")))
          .isInstanceOf(RolloutOutcome.Moved.class);

      server.awaitLimit("5/h", SOON);
      await().atMost(SOON).until(() -> Files.readString(rules).equals(document("5/h")));
      Path refused = rules.resolveSibling("rules.yaml.rolled-back");
      assertThat(Files.readString(refused)).isEqualTo(document("50/h"));
      assertThat(server.plane().local().version()).isEqualTo(1);
    }
    try (ControlledServer again = withVersion(config(), 1)) {
      assertThat(again.history()).hasSize(2);
    }
  }

  @Test
  void textThatWasRolledBackIsNotTakenFromTheFileUntilItIsPublished() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      advance(server, 1);
      server.publish(document("50/h"), 1);
      server.plane().rules().act(2, RolloutAction.ROLLBACK, anna("back"));
      await().atMost(SOON).until(() -> Files.readString(rules).equals(document("5/h")));

      Files.writeString(rules, document("50/h"));
      await().atMost(SOON).until(() -> Files.readString(rules).equals(document("5/h")));
      assertThat(server.limit()).contains("5/h");
      assertThat(server.history()).hasSize(2);

      assertThat(server.publish(document("50/h"), 2)).isInstanceOf(PublishOutcome.Published.class);
      server.awaitLimit("50/h", SOON);
    }
  }

  private static void advance(ControlledServer server, long rollout) {
    assertThat(server.plane().rules().act(rollout, RolloutAction.ADVANCE, anna("good")))
        .isInstanceOf(RolloutOutcome.Moved.class);
  }

  @Test
  void anEarlierVersionIsPublishedAgain() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      server.publish(document("50/h"), 1);

      PublishOutcome outcome =
          server
              .plane()
              .rules()
              .republish(new RepublishRequest(OptionalLong.empty(), now(), 2), anna("back"));

      assertThat(outcome).isInstanceOf(PublishOutcome.Published.class);
      server.awaitLimit("5/h", SOON);
      assertThat(Files.readString(rules)).isEqualTo(document("5/h"));
      assertThat(server.history()).hasSize(3);
    }
  }

  @Test
  void aPlanOfStepsLeavesTheVersionBeforeInForceUntilItsLastStep() throws Exception {
    try (ControlledServer server = withVersion(config(), 1)) {
      advance(server, 1);
      PublishRequest careful =
          new PublishRequest(
              new TreeMap<>(Map.of("rules.yaml", document("50/h"))),
              false,
              new Intent("shadow 1h; 100%; bake 1h", Optional.of("2%"), Optional.empty()),
              OptionalLong.of(1));

      PublishOutcome outcome = server.plane().rules().publish(careful, anna("slowly"));

      assertThat(outcome)
          .isInstanceOfSatisfying(
              PublishOutcome.Published.class,
              it -> {
                assertThat(it.rollout().state()).isEqualTo(RolloutState.RUNNING);
                assertThat(it.version().expectation()).contains("2%");
              });
      assertThat(Files.readString(rules)).isEqualTo(document("50/h"));
      await().atMost(SOON).until(() -> server.plane().rollout().isIn(RolloutState.RUNNING));
      assertThat(server.limit()).contains("5/h");
      assertThat(server.plane().local().version()).isEqualTo(1);
      assertThat(server.metric("weir_rollout_state{state=\"running\"}")).hasValue(1);
    }
    try (ControlledServer again = withVersion(config(), 1)) {
      assertThat(again.limit()).contains("5/h");
      assertThat(again.history()).hasSize(2);

      advance(again, 2);

      again.awaitLimit("50/h", SOON);
      assertThat(again.plane().local().version()).isEqualTo(2);
    }
  }

  @Test
  void aPlanThatCannotBeReadIsRefused() {
    try (ControlledServer server = withVersion(config(), 1)) {
      PublishRequest request =
          new PublishRequest(
              new TreeMap<>(Map.of("rules.yaml", document("50/h"))),
              false,
              new Intent("soon", Optional.empty(), Optional.empty()),
              OptionalLong.of(1));

      assertThat(server.plane().rules().publish(request, anna("a slip")))
          .isInstanceOfSatisfying(
              PublishOutcome.Refused.class, no -> assertThat(no.code()).isEqualTo("bad_plan"));
    }
  }

  @Test
  void aLinkedFileIsManagedOutside() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link.yaml"), rules);
    try (ControlledServer server = withVersion(config().rules(link), 1)) {
      assertThat(server.publish(document("6/h"), 1))
          .isInstanceOfSatisfying(
              PublishOutcome.NotHere.class,
              no -> assertThat(no.reason()).startsWith("rules are managed outside"));
      assertThat(Files.readString(rules)).isEqualTo(document("5/h"));
    }
  }

  @Test
  void aFolderIsPublishedAsAWhole() throws Exception {
    Path set = Files.createDirectory(folder.resolve("set"));
    Files.writeString(set.resolve("a.yaml"), document("5/h"));
    Files.writeString(set.resolve("b.yaml"), "version: 1\nrules: [ { id: two, limit: 1/s } ]\n");
    try (ControlledServer server = withVersion(config().rules(set), 1)) {
      assertThat(server.publish(document("6/h"), 1))
          .isInstanceOfSatisfying(
              PublishOutcome.Refused.class, no -> assertThat(no.code()).isEqualTo("only_file"));
      PublishRequest only =
          new PublishRequest(
              new TreeMap<>(Map.of("a.yaml", document("6/h"))), true, now(), OptionalLong.of(1));

      assertThat(server.plane().rules().publish(only, anna("one file")))
          .isInstanceOf(PublishOutcome.Published.class);
      server.awaitLimit("6/h", SOON);
      try (var files = Files.list(set)) {
        assertThat(files.map(file -> file.getFileName().toString())).containsExactly("a.yaml");
      }
      assertThat(server.server().rules().rule("two")).isEmpty();
    }
  }

  @Test
  void tenantsOfTheDatabaseAreInForceAndHoldTheirTiers() throws Exception {
    String tiers =
        "version: 1\ntiers: { free: { rate: 1/s }, gold: { rate: 9/s } }\n"
            + "tenants: { \"*\": free, acme: free }\n"
            + "rules: [ { id: one, key: [tenant], limit: tier } ]\n";
    Files.writeString(rules, tiers);
    try (ControlledServer server = withVersion(config(), 1)) {
      server
          .stores()
          .tenants()
          .put(
              List.of(
                  new Tenant("acme", "gold"),
                  new Tenant("initech", "gold", new TreeMap<>(Map.of("rate", "20/s"))),
                  new Tenant("lost", "silver")),
              anna("contracts"));

      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(server.server().rules().tenants().get("acme").limits().toString())
                    .contains("9/s");
                assertThat(server.server().rules().tenants().get("initech").limits().toString())
                    .contains("20/s");
              });
      assertThat(server.server().rules().tenants()).doesNotContainKey("lost");
      assertThat(server.plane().local().rejected())
          .containsExactly("tenant lost: unknown tier 'silver'; it has the plan of \"*\"");
      assertThat(server.plane().local().warnings()).hasSize(1);
      assertThat(server.metric("weir_control_rejected")).hasValue(1);
      assertThat(server.publish(tiers.replace(", gold: { rate: 9/s }", ""), 1))
          .isInstanceOfSatisfying(
              PublishOutcome.Refused.class,
              no -> {
                assertThat(no.code()).isEqualTo("tier_in_use");
                assertThat(no.reason()).contains("gold (2 tenants)");
              });
    }
  }
}
