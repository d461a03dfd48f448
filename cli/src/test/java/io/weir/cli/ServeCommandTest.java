package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ServeCommandTest {
  @TempDir Path folder;

  @Test
  void printsItsAddressesAndAnExample() throws Exception {
    StringWriter out = new StringWriter();
    ServeCommand serve = new ServeCommand();
    new CommandLine(serve)
        .setOut(new PrintWriter(out))
        .parseArgs("--port", "0", "--admin-port", "0", "--grpc-port", "0");
    try (var server = serve.start(Map.of("XDG_STATE_HOME", folder.toString()))) {
      assertThat(out.toString())
          .contains("decisions  http://" + server.http())
          .contains("Envoy      " + server.grpc().orElseThrow() + " (gRPC)")
          .contains("admin      http://" + server.admin())
          .contains("admin API  http://" + server.admin() + "/admin/v1/")
          .contains(
              "console    http://"
                  + server.admin()
                  + "/ui/#token="
                  + server.generatedAdminToken().orElseThrow())
          .containsOnlyOnce(server.generatedAdminToken().orElseThrow())
          .contains("store      memory")
          .contains("rules.yaml (10 rules;")
          .contains(
              "curl -s http://"
                  + server.http()
                  + "/v1/check -d '{\"method\":\"GET\",\"path\":\"/\","
                  + "\"attributes\":{\"ip\":\"198.51.100.7\"}}'");
    }
    assertThat(folder.resolve("weir")).isNotEmptyDirectory();
  }

  @Test
  void listsAllProblemsOfInvalidRules() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("r.yaml"),
            "version: 1\nrules:\n- { id: a, key: [], limit: x }\n- { id: b, key: [], limit: y }\n");
    Path config = Files.writeString(folder.resolve("weir.yaml"), "state: { dir: state }\n");
    CommandRun run =
        CommandRun.of("serve", "--config", config.toString(), "--rules", rules.toString());

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("weir: " + rules + ":"));
  }

  @Test
  void exitsIfAPortIsTaken() throws IOException {
    Path config = Files.writeString(folder.resolve("weir.yaml"), "state: { dir: state }\n");
    try (ServerSocket taken = new ServerSocket(0)) {
      String port = Integer.toString(taken.getLocalPort());
      CommandRun run = CommandRun.of("serve", "--config", config.toString(), "--port", port);

      assertThat(run.code()).isEqualTo(2);
      assertThat(run.err())
          .isEqualTo("weir: cannot listen on 127.0.0.1:" + port + " (http): the port is in use\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve --redis localhost",
        "serve --redis redis://me:secret@one,two",
        "serve --port 70000",
        "serve --config nowhere.yaml",
        "serve --colour red",
        "fly",
        ""
      })
  void exitsWithTwoAndTheReason(String arguments) {
    CommandRun run = CommandRun.of(arguments.isEmpty() ? new String[0] : arguments.split(" "));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).startsWith("weir: ").doesNotContain("secret");
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "serve",
        "gateway",
        "check",
        "explain",
        "rules",
        "rules validate",
        "rules diff",
        "doctor"
      })
  void everyCommandHasHelp(String command) {
    CommandRun run = CommandRun.of((command + " --help").strip().split(" "));

    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("Usage: weir");
    assertThat(CommandRun.of("--version").out()).startsWith("weir ");
  }
}
