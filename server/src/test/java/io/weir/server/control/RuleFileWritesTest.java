package io.weir.server.control;

import static io.weir.server.control.ControlledServer.anna;
import static io.weir.server.control.ControlledServer.document;
import static io.weir.server.control.ControlledServer.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.server.control.RuleOperations.PublishOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Edits by hand while this process writes the rule file, and texts that it must not write. */
class RuleFileWritesTest {
  @TempDir Path folder;
  private Path rules;
  private int edits;

  @BeforeEach
  void write() throws IOException {
    rules = folder.resolve("rules.yaml");
    Files.writeString(rules, document("5/h"));
  }

  private static RuleSite site(Path file) {
    return new RuleSite(Optional.of(new RuleFiles(file)), false, false);
  }

  private RulesInForce inForce() {
    return new RulesInForce(
        site(rules),
        AttributeSource.ANY,
        new RulesInForce.Listener() {
          @Override
          public void edited() {
            edits++;
          }

          @Override
          public void holdsRolledBack() {}

          @Override
          public void changed(RuleSet next) {}

          @Override
          public void applied(Version version, Rollout rollout) {}
        });
  }

  private void edit(String limit) {
    try {
      Files.writeString(rules, document(limit));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatTheFileHoldsDuringAWriteIsNoEdit() {
    RulesInForce inForce = inForce();
    inForce.announce();
    edit("6/h");

    assertThat(inForce.fileChanged()).isFalse();
    assertThat(edits).isZero();

    inForce.announceEnd();
    assertThat(edits).isEqualTo(1);
  }

  @Test
  void anEditDuringThePredictionIsKeptAndThePublishIsStale() throws Exception {
    try (ControlledServer server =
        ControlledServer.open(ControlledServer.config(folder.resolve("state")).rules(rules))) {
      await().atMost(Duration.ofSeconds(10)).until(() -> server.plane().local().version() == 1);
      Predictor slow =
          (before, after) -> {
            edit("7/h");
            return Optional.empty();
          };
      RulePublisher publisher =
          new RulePublisher(
              () -> Optional.of(server.stores()),
              site(rules),
              AttributeSource.ANY,
              inForce(),
              slow);

      PublishOutcome outcome =
          publisher.publish(request("rules.yaml", document("6/h"), 1), anna("a change"));

      assertThat(outcome).isEqualTo(new PublishOutcome.Stale(2));
      assertThat(Files.readString(rules)).isEqualTo(document("7/h"));
    }
  }

  private static RuleDraftCheck check(Path file, String name, String text) {
    return RuleDraftCheck.of(
        site(file), AttributeSource.ANY, request(name, text, 1), Optional.empty());
  }

  @Test
  void yamlIsRefusedForAFileThatIsReadAsJson() {
    Path json = folder.resolve("rules.json");

    assertThat(check(json, "my.yaml", document("6/h")).outcome())
        .hasValueSatisfying(
            outcome ->
                assertThat(((PublishOutcome.Invalid) outcome).problems().get(0).toString())
                    .contains("my.yaml", "rules.json is read as JSON"));
  }

  @Test
  void jsonIsTakenUnderAnyName() {
    String text = "{\"version\":1,\"rules\":[{\"id\":\"one\",\"limit\":\"6/h\"}]}";

    assertThat(check(folder.resolve("rules.json"), "my.yaml", text).outcome()).isEmpty();
    assertThat(check(rules, "my.json", text).outcome()).isEmpty();
  }

  @Test
  void aDocumentOfMoreBytesThanAFileMayHaveIsRefused() {
    String comment = "# " + "ä".repeat(2 << 20) + "\n";

    assertThat(check(rules, "my.yaml", comment + document("6/h")).outcome())
        .hasValueSatisfying(
            outcome ->
                assertThat(((PublishOutcome.Invalid) outcome).problems().toString())
                    .contains("larger than 4 MiB"));
  }
}
