package io.weir.server.control;

import static io.weir.server.control.ControlledServer.anna;
import static io.weir.server.control.ControlledServer.document;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.store.Adjustment;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.engine.Engine;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.KeyOperations.KeyId;
import io.weir.server.control.KeyOperations.KeyResult;
import io.weir.server.control.KillSwitchOperations.Active;
import io.weir.server.control.KillSwitchOperations.Road;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Overrides, blocks and kill switches on their way from the database to decisions. */
class OperatorControlsTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final KeyRef USER = KeyRef.of(List.of("42"));

  @TempDir Path folder;
  private ServerConfig config;
  private ControlledServer server;

  @BeforeEach
  void start() throws IOException {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), document("2/h"));
    config = ControlledServer.config(folder.resolve("state")).rules(rules);
    server = ControlledServer.open(config);
    await().atMost(SOON).until(() -> server.plane().local().version() == 1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Instant inAnHour() {
    return Instant.now().plus(Duration.ofHours(1));
  }

  private void override(Adjustment adjustment) {
    server
        .stores()
        .overrides()
        .set("one", USER, adjustment, Instant.now(), inAnHour(), anna("an incident"));
  }

  @Test
  void anOverrideRaisesOneKeySurvivesARestartAndShowsItsUse() {
    override(new Adjustment.Limit("", "500/h"));

    await().atMost(SOON).until(() -> server.check("42").getLong("limit") == 500);
    assertThat(server.check("43").getLong("limit")).isEqualTo(2);
    assertThat(server.metric("weir_overrides_active")).hasValue(1);
    await()
        .atMost(SOON)
        .until(
            () ->
                server.stores().overrides().list(0, 10, false).stream()
                    .map(KeyOverride::lastUsed)
                    .anyMatch(Optional::isPresent));

    server.close();
    server = ControlledServer.start(config);
    assertThat(server.check("42").getLong("limit")).isEqualTo(500);
  }

  @Test
  void anOverrideThatDoesNotFitItsRuleIsListed() {
    override(new Adjustment.Limit("", "sliding-window 5/h"));

    await().atMost(SOON).until(() -> !server.plane().local().rejected().isEmpty());
    assertThat(server.plane().local().rejected().get(0)).startsWith("override 1: ");
    assertThat(server.metric("weir_control_rejected")).hasValue(1);
    assertThat(server.check("42").getLong("limit")).isEqualTo(2);
  }

  @Test
  void aBlockRefusesAKeyUntilTheKillSwitchLiftsIt() {
    server.stores().blocks().block(Optional.of("one"), USER, inAnHour(), anna("abuse"));
    await().atMost(SOON).until(() -> !server.check("42").getBoolean("allowed"));
    assertThat(server.check("42").getString("reason")).isEqualTo("blocked");
    assertThat(server.metric("weir_blocked_keys")).hasValue(1);

    KillSwitchOperations.Result on =
        server.plane().killSwitches().on("all", inAnHour(), anna("all refused"));

    assertThat(on.reached()).containsExactly(Road.PUSH);
    assertThat(on.active()).extracting(Active::scope).containsExactly("all");
    await().atMost(SOON).until(() -> server.check("42").getBoolean("allowed"));
    server.plane().killSwitches().off("all", anna("over"));
    await().atMost(SOON).until(() -> !server.check("42").getBoolean("allowed"));
  }

  @Test
  void theFileTurnsTheKillSwitchOnAndOff() throws Exception {
    server.check("42");
    server.check("42");
    await().atMost(SOON).until(() -> !server.check("42").getBoolean("allowed"));
    Path file = folder.resolve("state").resolve("killswitch");

    Files.writeString(file, "{\"scope\":\"rule/one\",\"by\":\"anna\",\"message\":\"incident\"}");

    await().atMost(SOON).until(() -> server.check("42").getBoolean("allowed"));
    assertThat(server.plane().killSwitches().active())
        .extracting(Active::road)
        .containsExactly(Road.FILE);

    assertThat(server.plane().killSwitches().off("rule/one", anna("over")).reached())
        .contains(Road.FILE);
    await().atMost(SOON).until(() -> !server.check("42").getBoolean("allowed"));
    assertThat(file).doesNotExist();
  }

  @Test
  void aFileThatCannotBeReadTurnsNothingOn() throws Exception {
    Files.writeString(folder.resolve("state").resolve("killswitch"), "{\"scope\":\"some\"}");

    assertThat(new KillSwitchFile(folder.resolve("state")).read()).isEmpty();
  }

  @Test
  void aKeyIsResetAndTheAuditLogShowsIt() {
    server.check("42");
    server.check("42");
    assertThat(server.check("42").getBoolean("allowed")).isFalse();

    String answer =
        server.admin(
            HttpRequest.newBuilder(server.adminUri("/admin/v1/keys/reset"))
                .header("content-type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"rule\":\"one\",\"key\":[\"42\"],\"message\":\"our mistake\"}")));

    assertThat(answer).contains("\"remaining\":2");
    assertThat(server.check("42").getBoolean("allowed")).isTrue();
    assertThat(server.stores().audit().after(0, 100))
        .anyMatch(entry -> entry.record().action().equals("key.reset"));
  }

  @Test
  void aKeyOfAnUnknownRuleOrWithOtherDimensionsIsNoKey() throws Exception {
    try (Engine engine = Engine.builder().build()) {
      KeyOperations keys = new EngineKeys(engine, Optional::empty, Runnable::run);

      assertThat(keys.look(new KeyId("none", List.of("42"))).toCompletableFuture().get())
          .isEqualTo(new KeyResult.UnknownRule());
    }
  }

  @Test
  void theAdminApiPublishesAndShowsTheStatus() {
    String answer =
        server.admin(
            HttpRequest.newBuilder(server.adminUri("/admin/v1/rules"))
                .header("if-match", "\"1\"")
                .header("content-type", "application/json")
                .PUT(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"files\":{\"rules.yaml\":\"version: 1\\nrules: [ { id: one, key: [user],"
                            + " limit: 9/h } ]\\n\"},\"message\":\"more\"}")));

    assertThat(answer).contains("\"version\":2");
    server.awaitLimit("9/h", SOON);
    assertThat(server.admin(HttpRequest.newBuilder(server.adminUri("/admin/v1/status"))))
        .contains("\"instances\"");
    assertThat(
            server.admin(
                HttpRequest.newBuilder(server.adminUri("/admin/v1/keys?rule=one&key=user%3D42"))))
        .contains("\"remaining\":9");
  }
}
