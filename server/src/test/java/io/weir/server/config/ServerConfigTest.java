package io.weir.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.Limit;
import io.weir.redis.RedisOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  @TempDir Path folder;

  private ServerConfig read(String yaml, Map<String, String> environment) throws Exception {
    Path file = folder.resolve("weir.yaml");
    Files.writeString(file, yaml);
    return ServerConfig.read(Optional.of(file), environment);
  }

  private List<String> reasons(String yaml, Map<String, String> environment) {
    return catchThrowableOfType(ConfigException.class, () -> read(yaml, environment)).reasons();
  }

  @Test
  void readsEverySetting() throws Exception {
    ServerConfig config =
        read(
            """
            listen: { http: 0.0.0.0:80, grpc: "[::1]:81", admin: 127.0.0.1:82 }
            store: { memory: { max_keys: 5000, max_bytes: 1000000, new_keys_per_address: 70 } }
            guard: { rate: 10/s, in_flight: 5 }
            rules: { file: rules/ }
            reservations: { secret: "0123456789abcdef" }
            state: { dir: /var/lib/weir }
            """,
            Map.of());

    assertThat(config.http()).isEqualTo(new ListenAddress("0.0.0.0", 80));
    assertThat(config.grpc()).isEqualTo(new ListenAddress("::1", 81)).hasToString("[::1]:81");
    assertThat(config.admin()).isEqualTo(new ListenAddress("127.0.0.1", 82));
    assertThat(config.memory()).isEqualTo(new ServerConfig.Memory(5000, 1_000_000));
    assertThat(config.shared().newKeysPerAddress()).isEqualTo(70);
    assertThat(config.guard()).isEqualTo(new ServerConfig.LoadLimit(Limit.perSecond(10), 5));
    assertThat(config.rules()).hasValue(folder.resolve("rules/"));
    assertThat(config.stateFolder()).hasValue(Path.of("/var/lib/weir"));
    assertThat(config.reservationSecret()).isEqualTo("0123456789abcdef");
    assertThat(config.toString()).doesNotContain("0123456789abcdef");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "# nothing\n", "store: memory", "store: { memory: {} }", "store: { memory: }"})
  void hasADefaultForEverything(String yaml) throws Exception {
    assertThat(read(yaml, Map.of())).isEqualTo(ServerConfig.DEFAULT);
    assertThat(ServerConfig.read(Optional.empty(), Map.of())).isEqualTo(ServerConfig.DEFAULT);
  }

  @Test
  void environmentOverridesTheFile() throws Exception {
    Path secret = folder.resolve("secret");
    Files.writeString(secret, "a secret of some length\n");
    ServerConfig config =
        read(
            "listen: { http: 127.0.0.1:80 }\nguard: { rate: 10/s }",
            Map.of(
                "WEIR_LISTEN_HTTP", "127.0.0.1:90",
                "WEIR_RULES_FILE", "r.yaml",
                "WEIR_GUARD_IN_FLIGHT", "7",
                "WEIR_RESERVATIONS_SECRET_FILE", secret.toString(),
                "WEIR_JAVA_OPTS", "-Xmx1g",
                "WEIR_SERVICE_HOST", "10.0.0.1",
                "WEIR_GATEWAY_PORT_80_TCP_ADDR", "10.0.0.1"));

    assertThat(config.http().port()).isEqualTo(90);
    assertThat(config.rules()).hasValue(Path.of("r.yaml"));
    assertThat(config.guard()).isEqualTo(new ServerConfig.LoadLimit(Limit.perSecond(10), 7));
    assertThat(config.reservationSecret()).isEqualTo("a secret of some length");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "WEIR_LISTEN_HTPP                 | 1    | did you mean WEIR_LISTEN_HTTP?",
        "WEIR_LISTENHTTP                  | 1    | did you mean WEIR_LISTEN_HTTP?",
        "WEIR_GUARD_RTE                   | 1    | did you mean WEIR_GUARD_RATE?",
        "WEIR_STORE_REDIS_PASWORD_FILE    | f    | did you mean WEIR_STORE_REDIS_PASSWORD_FILE?",
        "WEIR_LISTEN_PORT                 | 8080 | known here: WEIR_LISTEN_ADMIN, WEIR_LISTEN_",
        "WEIR_COLOUR                      | red  | variables that start with WEIR_ are settings"
      })
  void refusesUnknownVariables(String variable, String value, String hint) {
    assertThat(reasons("", Map.of(variable, value)))
        .singleElement()
        .asString()
        .startsWith(variable + " is not a setting; " + hint);
  }

  @Test
  void ignoresVariablesSetByPlatforms() throws Exception {
    ServerConfig config =
        read(
            "",
            Map.ofEntries(
                Map.entry("WEIR_JAVA_OPTS", "-Xmx1g"),
                Map.entry("WEIR_TOKEN", "t"),
                Map.entry("WEIR_TOKEN_FILE", "f"),
                Map.entry("WEIR_TEST_REDIS", "path"),
                Map.entry("WEIR_REQUIRE_NGINX", "1"),
                Map.entry("WEIR_PORT", "tcp://10.0.0.1:8080"),
                Map.entry("WEIR_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
                Map.entry("WEIR_PORT_8080_TCP_ADDR", "10.0.0.1"),
                Map.entry("WEIR_PORT_8080_TCP_PORT", "8080"),
                Map.entry("WEIR_PORT_8080_TCP_PROTO", "tcp"),
                Map.entry("WEIR_SERVICE_HOST", "10.0.0.1"),
                Map.entry("WEIR_SERVICE_PORT", "8080"),
                Map.entry("WEIR_SERVICE_PORT_HTTP", "8080"),
                Map.entry("WEIR_GRPC_PORT", "tcp://10.0.0.1:8081"),
                Map.entry("WEIR_GRPC_SERVICE_HOST", "10.0.0.1")));

    assertThat(config).isEqualTo(ServerConfig.DEFAULT);
  }

  @Test
  void listsAllErrorsWithTheirLines() {
    List<String> reasons =
        reasons(
            """
            listen: { http: somewhere }
            guard:
              rate: fast
              in_flight: 0
              colour: red
            cell: { id: eu-1 }
            events: { denied: "1.0" }
            rules: { file: }
            reservations: { secret: short }
            """,
            Map.of("WEIR_LISTEN_ADMIN", "x:y", "WEIR_CELL_ID", "eu-1"));
    String file = folder.resolve("weir.yaml").toString();

    assertThat(reasons).hasSize(10);
    assertThat(reasons).filteredOn(r -> r.startsWith(file + ":1: listen.http: ")).hasSize(1);
    assertThat(reasons).filteredOn(r -> r.startsWith(file + ":3: guard.rate: ")).hasSize(1);
    assertThat(reasons).filteredOn(r -> r.startsWith(file + ":4: guard.in_flight: ")).hasSize(1);
    assertThat(reasons)
        .filteredOn(r -> r.startsWith(file + ":5: guard.colour is not a setting"))
        .hasSize(1);
    assertThat(reasons)
        .contains(
            file + ":6: cell.id is not available in this version",
            file + ":7: events.denied is not available in this version",
            file + ":8: rules.file: has no value",
            file + ":9: reservations.secret: a secret must have at least 16 characters",
            "WEIR_CELL_ID is not available in this version");
  }

  @Test
  void readsTheSharedStoreAndTheStoreForHotKeys() throws Exception {
    ServerConfig config =
        read(
            """
            store:
              redis: { uri: "redis://a:1", timeout: 20ms }
              hot: { uri: "redis://b:2", user: weir, password: secret, rules: [whole-api, search] }
            fleet: { min_instances: 4 }
            """,
            Map.of());

    assertThat(config.shared().minInstances()).isEqualTo(4);
    SharedStoreSettings.HotRules hot = config.shared().hot().orElseThrow();
    assertThat(hot.rules()).containsExactlyInAnyOrder("whole-api", "search");
    assertThat(hot.redis().address().toString()).isEqualTo("redis://b:2");
    assertThat(hot.redis().credentials()).isEqualTo(new RedisOptions.Credentials("weir", "secret"));
    assertThat(hot.redis().timeout()).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void aStoreForHotKeysNeedsRulesAndAStoreBesideIt() {
    assertThat(reasons("store: { hot: { uri: 'redis://b:2', rules: [a] } }", Map.of()))
        .singleElement()
        .asString()
        .endsWith("store.hot.uri: has no effect without store.redis.uri");
    assertThat(
            reasons(
                "store: { redis: { uri: 'redis://a:1' }, hot: { uri: 'redis://b:2' } }", Map.of()))
        .singleElement()
        .asString()
        .endsWith("store.hot.uri: has no effect without store.hot.rules, the ids of rules");
    assertThat(reasons("store: { redis: { uri: 'redis://a:1' }, hot: { rules: [a] } }", Map.of()))
        .singleElement()
        .asString()
        .contains("store.hot.rules", "has no effect without store.hot.uri");
  }

  @Test
  void readsEverySettingOfRedis() throws Exception {
    for (String name : List.of("ca", "cert", "key", "password")) {
      Files.writeString(folder.resolve(name), "content of " + name + "\n");
    }
    ServerConfig config =
        read(
            """
            store:
              redis:
                uri: rediss-cluster://10.0.0.1,10.0.0.2:7000
                timeout: 25ms
                clock: instance
                user: weir
                password_file: password
                tls: { ca: ca, cert: cert, key: key }
                tag_secret: "0123456789abcdef"
            """,
            Map.of());
    RedisOptions redis = config.redis().orElseThrow();

    assertThat(config.store()).isEqualTo("rediss-cluster://10.0.0.1:6379,10.0.0.2:7000");
    assertThat(redis.timeout()).isEqualTo(Duration.ofMillis(25));
    assertThat(redis.clock()).isEqualTo(RedisOptions.Clock.INSTANCE);
    assertThat(redis.credentials())
        .isEqualTo(new RedisOptions.Credentials("weir", "content of password"));
    assertThat(redis.tls().ca()).hasValue(folder.resolve("ca"));
    assertThat(redis.tls().certificate()).hasValue(folder.resolve("cert"));
    assertThat(redis.tls().key()).hasValue(folder.resolve("key"));
    assertThat(redis.tagSecret()).isEqualTo("0123456789abcdef");
    assertThat(config.toString())
        .contains("rediss-cluster://")
        .doesNotContain("content of password", "0123456789abcdef");
  }

  @Test
  void laterSourcesOverrideTheRedisAddress() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "from a file\n");
    String yaml = "store: { redis: { uri: 'redis://me:old@one', password: older, timeout: 5ms } }";

    RedisOptions fromFile = read(yaml, Map.of()).redis().orElseThrow();
    assertThat(fromFile.credentials()).isEqualTo(new RedisOptions.Credentials("me", "older"));
    Map<String, String> environment =
        Map.of(
            "WEIR_STORE_REDIS_URI",
            "redis://two:7000/3",
            "WEIR_STORE_REDIS_PASSWORD_FILE",
            secret.toString());
    RedisOptions fromEnvironment = read(yaml, environment).redis().orElseThrow();
    assertThat(fromEnvironment.address()).hasToString("redis://two:7000/3");
    assertThat(fromEnvironment.credentials().password()).isEqualTo("from a file");
    assertThat(fromEnvironment.timeout()).isEqualTo(Duration.ofMillis(5));
    ServerConfig fromFlag =
        ServerConfig.read(
            Optional.of(folder.resolve("weir.yaml")), environment, Optional.of("redis://three"));
    assertThat(fromFlag.store()).isEqualTo("redis://three:6379");
    assertThat(fromFlag.redis().orElseThrow().credentials().password()).isEqualTo("from a file");
    assertThat(read("store: memory", environment).store()).isEqualTo("redis://two:7000/3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "store: redis | store: must be 'memory', or a map such as",
        "store: { redis: { uri: http://x } } | store.redis.uri: unknown kind of Redis address",
        "store: { redis: { uri: } } | store.redis.uri: has no value",
        "store: { redis: { timeout: 5ms } } | store.redis.timeout: has no effect without",
        "store: { redis: { uri: redis://x, timeout: 0ms } } | timeout: must be from 1ms to 10s",
        "store: { redis: { uri: redis://x, timeout: 11s } } | timeout: must be from 1ms to 10s",
        "store: { redis: { uri: redis://x, timeout: soon } } | timeout: 'soon' is not a time",
        "store: { redis: { uri: redis://x, clock: mine } } | clock: must be 'store' or 'instance'",
        "store: { redis: { uri: redis://x, colour: red } } | store.redis.colour is not a setting",
        "store: { redis: { uri: redis://x, tag_secret: x } } | tag_secret: a secret must have at least",
        "store: { redis: { uri: redis://x, password_file: no } } | password_file: no cannot be",
        "store: { redis: { uri: redis://x, tls: { ca: weir.yaml } } } | ca: has no effect unless",
        "store: { redis: { uri: rediss://x, tls: { ca: none } } } | cannot be read",
        "store: { redis: { uri: rediss://x, tls: { key: weir.yaml } } } | key: needs both the certificate",
        "store: { redis: { uri: rediss://x, tls: { cert: weir.yaml } } } | cert: needs both the certificate",
        "store: { redis: { uri: redis://x, password: a, password_file: weir.yaml } } | set only one of"
      })
  void reportsInvalidRedisSettings(String yaml, String reason) {
    assertThat(reasons(yaml, Map.of())).hasSize(1).first().asString().contains(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "text", "a: [", "a: 1\na: 2", "!!java/object x", "a: &b 1"})
  void refusesInvalidDocuments(String yaml) {
    assertThat(reasons(yaml, Map.of())).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "8080, 127.0.0.1, 8080",
    ":8080, 127.0.0.1, 8080",
    "localhost:0, localhost, 0",
    "[::]:1, ::, 1"
  })
  void readsAddresses(String text, String host, int port) {
    assertThat(ListenAddress.parse(text)).isEqualTo(new ListenAddress(host, port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "::1:80", "1.2.3.4:99999", "1.2.3.4:-1", "1.2.3.4:"})
  void refusesOtherAddresses(String text) {
    assertThatThrownBy(() -> ListenAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
