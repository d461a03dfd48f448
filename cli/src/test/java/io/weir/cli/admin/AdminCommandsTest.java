package io.weir.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cli.CommandRun;
import io.weir.cli.output.JsonMap;
import io.weir.server.WeirServer;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on the control plane, on a server with its embedded database. */
class AdminCommandsTest {
  private static final String RULES =
      """
      version: 1
      tiers:
        free: { rate: 5/s }
        big: { rate: 50/s }
      tenants: { "*": free }
      rules:
        # comments survive
        - id: payments
          match: { path: /payments }
          key: [user]
          limit: { algorithm: fixed-window, rate: %d/h }
        - id: plan
          match: { path: /plan }
          key: [tenant]
          limit: tier
      """;

  @TempDir Path folder;
  private Path rules;
  private WeirServer server;

  @BeforeEach
  void start() throws Exception {
    rules = Files.writeString(folder.resolve("rules.yaml"), RULES.formatted(3));
    open();
  }

  private void open() throws Exception {
    server =
        WeirServer.start(
            ServerConfig.DEFAULT
                .http(new ListenAddress("127.0.0.1", 0))
                .admin(new ListenAddress("127.0.0.1", 0))
                .grpc(new ListenAddress("127.0.0.1", 0))
                .stateFolder(folder.resolve("state"))
                .rules(rules));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> run("rules", "history").out().contains("file"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private CommandRun run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--admin");
    all.add("http://" + server.admin());
    server
        .generatedAdminToken()
        .ifPresent(
            token -> {
              all.add("--token");
              all.add(token);
            });
    return CommandRun.of(all.toArray(new String[0]));
  }

  private CommandRun done(String... arguments) {
    CommandRun run = run(arguments);
    assertThat(run.code()).as("%s: %s", List.of(arguments), run.err()).isZero();
    return run;
  }

  private CommandRun check(String path, String attribute) {
    return CommandRun.of(
        "check", "--server", "http://" + server.http(), "GET", path, "-a", attribute);
  }

  private Path document(int limit) throws IOException {
    return Files.writeString(folder.resolve("my.yaml"), RULES.formatted(limit));
  }

  @Test
  void publishesListsAndRollsBack() throws Exception {
    CommandRun applied = done("rules", "apply", document(7).toString(), "-m", "more");

    assertThat(applied.out()).contains("payments").contains("published version 2");
    assertThat(rules).content().isEqualTo(RULES.formatted(7));
    await()
        .untilAsserted(() -> assertThat(check("/payments", "user=1").out()).contains("of 7 left"));
    assertThat(done("rules", "history").out()).contains("more");
    assertThat(done("rules", "show").out()).isEqualTo(RULES.formatted(7));
    assertThat(done("rules", "show", "1").out()).isEqualTo(RULES.formatted(3));

    done("rules", "rollback", "--to", "1", "-m", "too much");

    assertThat(rules).content().isEqualTo(RULES.formatted(3));
    await()
        .untilAsserted(() -> assertThat(check("/payments", "user=2").out()).contains("of 3 left"));
    done("rules", "export", folder.resolve("out").toString());
    try (var files = Files.list(folder.resolve("out"))) {
      assertThat(files.toList())
          .singleElement()
          .satisfies(f -> assertThat(f).hasContent(RULES.formatted(3)));
    }
  }

  @Test
  void historySurvivesARestart() throws Exception {
    done("rules", "apply", document(7).toString(), "-m", "more");
    server.close();

    open();

    assertThat(done("rules", "history").out()).contains("more");
    assertThat(check("/payments", "user=1").out()).contains("of 7 left");
  }

  @Test
  void editsByHandAreVersions() throws Exception {
    Files.writeString(rules, RULES.formatted(9));

    await()
        .untilAsserted(() -> assertThat(check("/payments", "user=1").out()).contains("of 9 left"));
    await()
        .untilAsserted(
            () ->
                assertThat(done("rules", "history").out().lines())
                    .hasSize(3)
                    .anyMatch(l -> l.startsWith("2")));
  }

  @Test
  void refusesInvalidDocumentsWithTheirLine() throws Exception {
    Path bad =
        Files.writeString(
            folder.resolve("bad.yaml"), "version: 1\nrules:\n  - id: x\n    limti: 5/s\n");

    CommandRun run = run("rules", "apply", bad.toString(), "-m", "typo");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains(":4: ").contains("limti");
    assertThat(rules).content().isEqualTo(RULES.formatted(3));
  }

  @Test
  void dryRunChangesNothing() throws Exception {
    CommandRun run = done("rules", "apply", document(7).toString(), "--dry-run", "-m", "try");

    assertThat(run.out()).contains("payments").contains("nothing was changed");
    assertThat(rules).content().isEqualTo(RULES.formatted(3));
  }

  @Test
  void raisesBlocksResetsAndGrantsOneKey() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(check("/payments", "user=42").code()).isZero();
    }
    assertThat(check("/payments", "user=42").code()).isEqualTo(1);

    done(
        "override",
        "set",
        "--rule",
        "payments",
        "--key",
        "user=42",
        "--limit",
        "5/h",
        "--expires",
        "2h",
        "-m",
        "migration");

    await().untilAsserted(() -> assertThat(check("/payments", "user=42").code()).isZero());
    assertThat(done("override", "list").out())
        .contains("payments")
        .contains("5/h")
        .contains("migration");
    done("override", "end", "1", "-m", "done");
    await().untilAsserted(() -> assertThat(check("/payments", "user=42").code()).isEqualTo(1));
    assertThat(done("override", "list").out()).contains("no overrides");

    done("keys", "reset", "user=42", "--rule", "payments", "-m", "test run");
    assertThat(check("/payments", "user=42").code()).isZero();
    assertThat(done("keys", "get", "user=42", "-o", "json").out()).contains("\"remaining\" : 2");
    done("keys", "grant", "1", "user=42", "--rule", "payments", "-m", "our mistake");
    assertThat(done("keys", "get", "user=42", "-o", "json").out()).contains("\"remaining\" : 3");

    done("keys", "block", "user=42", "--rule", "payments", "--for", "10min", "-m", "abuse");
    await()
        .untilAsserted(() -> assertThat(check("/payments", "user=42").out()).contains("blocked"));
    done("keys", "unblock", "user=42", "--rule", "payments", "-m", "called");
    await().untilAsserted(() -> assertThat(check("/payments", "user=42").code()).isZero());

    assertThat(run("keys", "get", "tenant=42", "--rule", "payments").code()).isNotZero();
  }

  @Test
  void killSwitchPutsRulesIntoShadow() {
    for (int i = 0; i < 4; i++) {
      check("/payments", "user=7");
    }
    assertThat(check("/payments", "user=7").code()).isEqualTo(1);

    done("killswitch", "on", "--rule", "payments", "--for", "1h", "-m", "incident 17");

    await().untilAsserted(() -> assertThat(check("/payments", "user=7").code()).isZero());
    assertThat(done("killswitch", "status").out())
        .contains("rule/payments")
        .contains("incident 17");
    done("killswitch", "off", "--rule", "payments");
    await().untilAsserted(() -> assertThat(check("/payments", "user=7").code()).isEqualTo(1));
    assertThat(done("killswitch", "status").out()).contains("off");
  }

  @Test
  void tenantsHaveTiersOfTheirOwn() throws Exception {
    done("tenants", "set", "acme", "big");

    await()
        .untilAsserted(
            () -> assertThat(check("/plan", "tenant=acme").out()).contains("of 50 left"));
    assertThat(done("tenants", "get", "acme").out()).contains("tier big");
    Path csv = Files.writeString(folder.resolve("t.csv"), "id,tier\na,big\nb,free\n");
    done("tenants", "import", csv.toString(), "--dry-run");
    assertThat(done("tenants", "import", csv.toString()).out()).contains("2 tenants, 2 new");
    assertThat(done("tenants", "list").out().lines()).hasSize(4);
    done("tenants", "remove", "acme");
    await()
        .untilAsserted(() -> assertThat(check("/plan", "tenant=acme").out()).contains("of 5 left"));
    assertThat(run("tenants", "get", "acme").code()).isEqualTo(1);
  }

  @Test
  void tokensHaveRoles() throws Exception {
    JsonMap made =
        JsonMap.parse(
            done(
                    "tokens",
                    "create",
                    "--role",
                    "viewer",
                    "--label",
                    "dash",
                    "--expires",
                    "90d",
                    "-o",
                    "json")
                .out());
    String admin = "http://" + server.admin();
    String viewer = made.text("token");

    await()
        .untilAsserted(
            () ->
                assertThat(
                        CommandRun.of("rules", "history", "--admin", admin, "--token", viewer)
                            .code())
                    .isZero());
    CommandRun refused =
        CommandRun.of("killswitch", "on", "-m", "x", "--admin", admin, "--token", viewer);
    assertThat(refused.code()).isEqualTo(2);
    assertThat(done("tokens", "list").out()).contains("dash").contains("viewer");
    done("tokens", "revoke", made.shown("id"));
    await()
        .untilAsserted(
            () ->
                assertThat(
                        CommandRun.of("rules", "history", "--admin", admin, "--token", viewer)
                            .code())
                    .isEqualTo(2));
  }

  @Test
  void auditIsListedVerifiedAndExported() throws Exception {
    done("rules", "apply", document(7).toString(), "-m", "more");
    Path export = folder.resolve("audit.jsonl");

    assertThat(done("audit", "list").out()).contains("rules.published").contains("more");
    assertThat(done("audit", "verify").out()).contains("the log is whole");
    done("audit", "export", export.toString());
    assertThat(done("audit", "verify", "--against", export.toString()).out()).contains("exported");

    Files.writeString(
        export,
        Files.readString(export).replaceFirst("\"hash\":\"[0-9a-f]{8}", "\"hash\":\"00000000"));
    CommandRun forged = run("audit", "verify", "--against", export.toString());
    assertThat(forged.code()).isEqualTo(1);
    assertThat(forged.out()).contains("THE LOG WAS CHANGED");
  }

  @Test
  void statusNamesTheInstanceAndItsVersion() {
    CommandRun status = done("status");

    assertThat(status.out()).contains("rules from the file; newest version 1");
  }
}
