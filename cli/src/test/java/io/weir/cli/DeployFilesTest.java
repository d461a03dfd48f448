package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RuleDocuments;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks of the files in deploy/ that need neither Docker nor Kubernetes. */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("..", "deploy");

  static List<Path> yamls() throws IOException {
    try (Stream<Path> files = Files.walk(DEPLOY)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("yamls")
  void areYaml(Path file) throws IOException {
    Iterable<Object> documents =
        new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(file));

    assertThat(documents).isNotEmpty().allMatch(Map.class::isInstance);
  }

  @ParameterizedTest
  @CsvSource({
    "compose/weir.yaml, 'redis-cluster://redis-1:6379,redis-2:6379,redis-3:6379'",
    "kubernetes/config/weir.yaml,"
        + " 'redis-cluster://redis-0.redis:6379,redis-1.redis:6379,redis-2.redis:6379'"
  })
  void weirAcceptsTheConfiguration(String file, String store) throws Exception {
    Path password = Files.createTempFile("weir", "password");
    Files.writeString(password, "a password of some length\n");
    Path tokens = Files.createTempFile("weir", "tokens");
    Files.writeString(tokens, "0".repeat(64) + " operator\n");
    ServerConfig config =
        ServerConfig.read(
            Optional.of(DEPLOY.resolve(file)),
            Map.of(
                "WEIR_STORE_REDIS_PASSWORD_FILE", password.toString(),
                "WEIR_RESERVATIONS_SECRET_FILE", password.toString(),
                "WEIR_ADMIN_TOKENS_FILE", tokens.toString()));

    assertThat(config.store()).isEqualTo(store);
    assertThat(config.grpc())
        .isEqualTo(new ListenAddress("0.0.0.0", 8081)); // not loopback: for Envoy
    assertThat(config.frontEnd().admin().tokens()).hasSize(1);
    assertThat(config.redis().orElseThrow().credentials().password()).startsWith("a password");
  }

  /** Without any of these an instance of the deployment would not start. */
  @ParameterizedTest
  @ValueSource(strings = {"docker-compose.yaml", "kubernetes/weir.yaml"})
  void configurationNamesTheSecretFiles(String file) throws IOException {
    assertThat(Files.readString(DEPLOY.resolve(file)))
        .contains(
            "WEIR_STORE_REDIS_PASSWORD_FILE",
            "WEIR_RESERVATIONS_SECRET_FILE",
            "WEIR_ADMIN_TOKENS_FILE");
  }

  /** By default a Redis Cluster with one dead shard refuses the keys of all others. */
  @ParameterizedTest
  @ValueSource(
      strings = {"docker-compose.yaml", "kubernetes/redis.yaml", "../docs/deploy/redis.md"})
  void aShardOfTheClusterFailsAlone(String file) throws IOException {
    assertThat(Files.readAllLines(DEPLOY.resolve(file)))
        .filteredOn(line -> line.contains("--cluster-enabled yes"))
        .hasSize(1)
        .allMatch(line -> line.contains("--cluster-require-full-coverage no"));
  }

  @Test
  void imageExposesEveryPortAndHasTheCommand() throws IOException {
    assertThat(Files.readAllLines(DEPLOY.resolve("Dockerfile")))
        .contains("EXPOSE 8080 8081 8000 6070", "ENTRYPOINT [\"weir\"]")
        .anyMatch(line -> line.endsWith("deploy/weir.sh /usr/local/bin/weir"));
  }

  @Test
  void commandOfTheImagePassesItsArguments(@TempDir Path folder) throws Exception {
    Path java = Files.writeString(folder.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    ProcessBuilder command =
        new ProcessBuilder("sh", DEPLOY.resolve("weir.sh").toString(), "doctor", "two words");
    command.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
    command.environment().put("JAVA_OPTS", "-Xmx64m");

    String arguments =
        new String(command.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(arguments.lines())
        .contains("-Xmx64m")
        .endsWith("-jar", "/opt/weir/weir.jar", "doctor", "two words");
  }

  @Test
  @SuppressWarnings("unchecked")
  void composeKeepsStateAndMountsRulesAsAFolder() throws IOException {
    Map<String, Map<String, Map<String, List<String>>>> compose =
        (Map<String, Map<String, Map<String, List<String>>>>)
            new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(DEPLOY.resolve("docker-compose.yaml")));
    Map<String, Map<String, List<String>>> services = compose.get("services");

    for (String weir : List.of("weir-1", "weir-2")) {
      assertThat(services.get(weir).get("volumes"))
          .contains(weir + ":/var/lib/weir", "../samples:/etc/weir/rules:ro");
      assertThat(services.get(weir).get("ports")).anyMatch(port -> port.endsWith(":8081"));
    }
    assertThat(compose.get("volumes")).containsKeys("weir-1", "weir-2");
  }

  @Test
  void envoyFindsItsPortInTheCluster() throws IOException {
    assertThat(Files.readString(DEPLOY.resolve("kubernetes/weir.yaml")))
        .contains("{ name: grpc, port: 8081", "{ name: grpc, containerPort: 8081 }");
  }

  @Test
  void weirAcceptsTheRules() {
    assertThat(RuleDocuments.load(DEPLOY.resolve("kubernetes/config/rules.yaml")).problems())
        .isEmpty();
  }
}
