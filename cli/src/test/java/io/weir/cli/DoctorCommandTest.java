package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.output.JsonMap;
import io.weir.server.WeirServer;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.testkit.process.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@Tag("process")
class DoctorCommandTest {
  @TempDir Path folder;
  private Path config;

  @BeforeEach
  void writeConfig() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"), "version: 1\nrules:\n- { id: a, key: [], limit: 5/s }\n");
    config = config("");
  }

  private Path config(String more) throws IOException {
    return Files.writeString(
        folder.resolve("weir.yaml"),
        "listen: { http: 127.0.0.1:0, grpc: 127.0.0.1:0, admin: 127.0.0.1:0 }\n"
            + "rules: { file: rules.yaml }\n"
            + ("state: { dir: \"" + folder.resolve("state") + "\" }\n")
            + more);
  }

  private CommandRun doctor(String... more) {
    String[] arguments = new String[3 + more.length];
    System.arraycopy(more, 0, arguments, 3, more.length);
    System.arraycopy(new String[] {"doctor", "--config", config.toString()}, 0, arguments, 0, 3);
    return CommandRun.of(arguments);
  }

  @Test
  void checksRulesAndPortsWithoutRedis() {
    CommandRun run = doctor();

    assertThat(run.code()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "ok    rules        " + folder.resolve("rules.yaml") + ": 1 rule",
            "ok    ports        listen.http 127.0.0.1:0 is free",
            "ok    ports        listen.grpc 127.0.0.1:0 is free",
            "ok    ports        listen.admin 127.0.0.1:0 is free",
            "ok    state        state.dir " + folder.resolve("state") + " can be created",
            "ok    store        memory: each instance has its own limits",
            "6 checks: 6 ok, 0 warnings, 0 failed");
    assertThat(folder.resolve("state")).as("it changes nothing").doesNotExist();
  }

  @Test
  void checksThePortsOfTheFlags() throws IOException {
    try (ServerSocket http = taken();
        ServerSocket grpc = taken();
        ServerSocket admin = taken()) {
      CommandRun run =
          doctor(
              "--port=" + http.getLocalPort(),
              "--grpc-port=" + grpc.getLocalPort(),
              "--admin-port=" + admin.getLocalPort());

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out())
          .contains("fail  ports        listen.http 127.0.0.1:" + http.getLocalPort() + " cannot")
          .contains("fail  ports        listen.grpc 127.0.0.1:" + grpc.getLocalPort() + " cannot")
          .contains("fail  ports        listen.admin 127.0.0.1:" + admin.getLocalPort() + " cannot")
          .contains("3 failed");
    }
    assertThat(doctor("--port", "70000").code()).isEqualTo(2);
  }

  private static ServerSocket taken() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @Test
  void checksTheStateFolder() throws IOException {
    Path state = Files.createDirectory(folder.resolve("state"));
    assertThat(doctor().out()).contains("ok    state        state.dir " + state + " is writable");

    Files.delete(state);
    Files.writeString(state, "a file");
    CommandRun run = doctor();

    assertThat(run.code()).as("only a warning: a server starts without it").isZero();
    assertThat(run.out())
        .contains("warn  state        state.dir " + state + " is not a folder: the last good rules")
        .contains("→ choose another state.dir");

    config("");
    Files.writeString(
        config, Files.readString(config).replace(state.toString(), state + "/weir/deep"));
    assertThat(doctor().out())
        .contains("warn  state        state.dir " + state + "/weir/deep cannot be created");
  }

  @Test
  void checksTheGatewayOfAConfiguration() throws IOException {
    try (ServerSocket gateway = taken()) {
      config("gateway: { upstream: \"http://127.0.0.1:1\" }\n");
      Files.writeString(
          config,
          Files.readString(config)
              .replace("{ http:", "{ gateway: 127.0.0.1:" + gateway.getLocalPort() + ", http:"));
      CommandRun run = doctor();

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out())
          .contains("fail  ports        listen.gateway 127.0.0.1:" + gateway.getLocalPort());
    }
  }

  @Test
  void checksRedis() throws IOException {
    try (RedisServer redis = RedisServer.builder().config("maxmemory-policy allkeys-lru").start()) {
      config("store: { redis: { uri: \"" + redis.uri() + "\", timeout: 2s } }\n");
      CommandRun run = doctor();
      JsonMap json = JsonMap.parse(doctor("--output", "json").out());

      assertThat(run.code()).isZero();
      assertThat(run.out())
          .contains("ok    reach        127.0.0.1:" + redis.port() + ": connected as default user")
          .containsPattern("(?m)^warn  reservations .* → .*set the same reservations.secret")
          .containsPattern("(?m)^warn  eviction .* → set maxmemory-policy noeviction");
      assertThat(json.flag("healthy")).isTrue();
      List<JsonMap> checks = json.maps("checks");
      assertThat(checks).extracting(check -> check.text("check")).contains("latency", "rights");
      assertThat(checks).extracting(check -> check.text("grade")).containsOnly("ok", "warn");
    }
  }

  @Test
  void checksTheRedisOfHotRulesAndNamesIt() throws IOException {
    try (RedisServer redis = RedisServer.start();
        RedisServer hot = RedisServer.builder().config("maxmemory-policy allkeys-lru").start()) {
      config(
          "store: { redis: { uri: \"%s\", timeout: 2s }, hot: { uri: \"%s\", rules: [a] } }\n"
              .formatted(redis.uri(), hot.uri()));
      String where = "store.hot 127.0.0.1:" + hot.port();
      CommandRun run = doctor();

      assertThat(run.code()).isZero();
      assertThat(run.out())
          .contains("ok    reach        127.0.0.1:" + redis.port() + ": connected")
          .contains("ok    reach        " + where + ": connected")
          .contains("warn  eviction     " + where);

      hot.kill();
      CommandRun away = doctor();
      assertThat(away.code()).isEqualTo(1);
      assertThat(away.out())
          .contains("ok    reach        127.0.0.1:" + redis.port() + ": connected")
          .contains("fail  reach        " + where + ": connection refused");
    }
  }

  @Test
  void failsIfRedisIsUnreachableAndHidesThePassword() {
    try (RedisServer redis = RedisServer.start()) {
      redis.kill();
      CommandRun run = doctor("--redis", "redis://:hunter2@127.0.0.1:" + redis.port());

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out())
          .containsPattern("(?m)^fail  reach +127.0.0.1:[0-9]+: connection refused.* → is Redis")
          .doesNotContain("hunter2");
    }
  }

  @Test
  void failsOnInvalidCertificatesAndChecksTheRest() throws IOException {
    Files.writeString(folder.resolve("ca.crt"), "nonsense");
    config("store: { redis: { uri: \"rediss://127.0.0.1:1\", tls: { ca: ca.crt } } }\n");
    CommandRun run = doctor();

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("(?m)^ok    rules ")
        .containsPattern("(?m)^fail  encryption +cannot use the certificates in .*ca.crt");
  }

  @Test
  void failsOnInvalidRulesAndTakenPorts() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"), "version: 1\nrules:\n- { id: a, key: [], limit: x }\n");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.writeString(
          config,
          Files.readString(config)
              .replaceFirst("http: 127.0.0.1:0", "http: " + taken.getLocalPort()));
      CommandRun run = doctor();

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out())
          .containsPattern("(?m)^fail  rules +.*rules.yaml:3: rule a: limit must be")
          .containsPattern("(?m)^fail  ports +listen.http .*cannot be opened: .*in use")
          .contains("0 warnings, 2 failed");
    }
  }

  @Test
  void failsOnAnInvalidConfiguration() throws IOException {
    config("guard: { rate: fast }\n");
    CommandRun run = doctor("--redis", "http://x");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("(?m)^fail  config +.*weir.yaml:4: guard.rate: ")
        .containsPattern("(?m)^fail  config +--redis: unknown kind of Redis address");
  }

  @Test
  void recognisesARunningServer() throws Exception {
    try (var server =
        WeirServer.start(
            ServerConfig.DEFAULT
                .http(new ListenAddress("127.0.0.1", 0))
                .grpc(new ListenAddress("127.0.0.1", 0))
                .admin(new ListenAddress("127.0.0.1", 0))
                .rules(folder.resolve("rules.yaml")))) {
      Files.writeString(
          config,
          Files.readString(config)
              .replace("http: 127.0.0.1:0", "http: " + server.http())
              .replace("grpc: 127.0.0.1:0", "grpc: " + server.grpc().orElseThrow()));
      CommandRun run = doctor();

      assertThat(run.code()).isZero();
      assertThat(run.out())
          .contains("listen.http " + server.http() + ": a Weir server is running there")
          .contains("listen.grpc " + server.grpc().orElseThrow() + " is in use by a running Weir");
    }
  }
}
