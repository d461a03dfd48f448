package io.weir.server.control;

import static io.weir.server.control.ControlledServer.document;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.Instance;
import io.weir.control.store.VersionSummary;
import io.weir.server.config.ControlSettings;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.testkit.process.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules in PostgreSQL, shared by several servers. */
@Tag("process")
class DatabaseRulesTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static PostgresServer postgres;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    postgres = PostgresServer.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  private static ControlSettings freshDatabase() throws SQLException {
    String name = postgres.freshName();
    DatabaseSettings.Postgres main = DatabaseSettings.postgres(postgres.uri());
    try (Connection connection =
            DriverManager.getConnection(main.jdbcUrl(), main.user().orElseThrow(), "");
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    return ControlSettings.DEFAULT
        .database(PostgresServer.uri(postgres.port(), name))
        .rulesInDatabase(true);
  }

  private static final Duration ONE_SECOND = Duration.ofSeconds(1);

  private ServerConfig config(String instance, ControlSettings control) {
    return ControlledServer.config(folder.resolve(instance)).control(control);
  }

  @Test
  void aChangeOnOneServerIsInForceOnTheOtherWithinASecond() throws Exception {
    ControlSettings control = freshDatabase();
    try (ControlledServer one = ControlledServer.open(config("one", control));
        ControlledServer two = ControlledServer.open(config("two", control))) {
      assertThat(one.server().rules().rules()).isEmpty();
      assertThat(one.publish(document("5/h"), 0)).isInstanceOf(PublishOutcome.Published.class);
      two.awaitLimit("5/h", SOON);

      List<Duration> took = new ArrayList<>();
      for (int version = 1; version <= 10; version++) {
        one.publish(document((5 + version) + "/h"), version);
        long published = System.nanoTime();
        two.awaitLimit((5 + version) + "/h", SOON);
        one.awaitLimit((5 + version) + "/h", SOON);
        took.add(Duration.ofNanos(System.nanoTime() - published));
      }
      Collections.sort(took);
      assertThat(took.get(took.size() / 2)).as("median of %s", took).isLessThan(ONE_SECOND);

      assertThat(two.publish(document("99/h"), 3)).isEqualTo(new PublishOutcome.Stale(11));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(one.stores().instances().seenSince(Instant.EPOCH))
                      .hasSize(2)
                      .extracting(Instance::version)
                      .containsOnly(11L));
    }
  }

  @Test
  void theRuleFileIsImportedIntoAnEmptyDatabaseOnly() throws Exception {
    ControlSettings control = freshDatabase();
    Path rules = Files.writeString(folder.resolve("rules.yaml"), document("5/h"));
    try (ControlledServer one = ControlledServer.open(config("one", control).rules(rules))) {
      one.awaitLimit("5/h", SOON);
      one.publish(document("6/h"), 1);
    }
    try (ControlledServer two = ControlledServer.open(config("two", control).rules(rules))) {
      two.awaitLimit("6/h", SOON);
      assertThat(two.history()).extracting(VersionSummary::author).containsExactly("anna", "file");
      assertThat(Files.readString(rules)).isEqualTo(document("5/h"));
    }
  }

  @Test
  void servesItsCachedRulesWhileTheDatabaseIsStopped() throws Exception {
    try (PostgresServer own = PostgresServer.start()) {
      ControlSettings control = ControlSettings.DEFAULT.database(own.uri()).rulesInDatabase(true);
      try (ControlledServer one = ControlledServer.open(config("one", control))) {
        one.publish(document("5/h"), 0);
        one.awaitLimit("5/h", SOON);
        try (ControlledServer two = ControlledServer.open(config("two", control))) {
          two.awaitLimit("5/h", SOON);
        }
        own.kill();
        await().atMost(SOON).until(() -> one.metric("weir_control_up").orElse(1) == 0);
        assertThat(one.limit()).contains("5/h");
        assertThat(one.metric("weir_rules_stale_seconds").orElse(0)).isPositive();

        try (ControlledServer two = ControlledServer.start(config("two", control))) {
          assertThat(two.limit()).contains("5/h");
          assertThat(two.plane().local().unavailable()).isPresent();

          own.restart();
          two.awaitOpen();
          one.awaitOpen();
          one.publish(document("7/h"), 1);
          two.awaitLimit("7/h", SOON);
          assertThat(one.metric("weir_rules_stale_seconds")).hasValue(0);
        }
      }
    }
  }

  @Test
  void instancesThatFollowTheirOwnFilesPublishNothing() throws Exception {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), document("5/h"));
    ControlSettings control = freshDatabase().rulesInDatabase(false);
    try (ControlledServer one = ControlledServer.open(config("one", control).rules(rules))) {
      assertThat(one.publish(document("6/h"), 0))
          .isInstanceOfSatisfying(
              PublishOutcome.NotHere.class,
              no -> assertThat(no.reason()).contains("set rules.database"));

      Files.writeString(rules, document("7/h"));
      one.awaitLimit("7/h", SOON);
      assertThat(one.history()).isEqualTo(List.of());
    }
  }
}
