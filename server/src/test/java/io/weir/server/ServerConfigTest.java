package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.Limit;
import java.nio.file.Files;
import java.nio.file.Path;
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
            store: { memory: { max_keys: 5000, max_bytes: 1000000 } }
            guard: { rate: 10/s, in_flight: 5 }
            rules: { file: rules/ }
            reservations: { secret: "0123456789abcdef" }
            state: { dir: /var/lib/weir }
            """,
            Map.of());

    assertThat(config.http()).isEqualTo(new Address("0.0.0.0", 80));
    assertThat(config.grpc()).isEqualTo(new Address("::1", 81)).hasToString("[::1]:81");
    assertThat(config.admin()).isEqualTo(new Address("127.0.0.1", 82));
    assertThat(config.memory()).isEqualTo(new ServerConfig.Memory(5000, 1_000_000));
    assertThat(config.guard()).isEqualTo(new ServerConfig.Ceiling(Limit.perSecond(10), 5));
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
  void letsTheEnvironmentHaveTheLastWord() throws Exception {
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
                "WEIR_GATEWAY_PORT_80_TCP_ADDR", "10.0.0.1",
                "WEIR_TYPO", "ignored, with a warning"));

    assertThat(config.http().port()).isEqualTo(90);
    assertThat(config.rules()).hasValue(Path.of("r.yaml"));
    assertThat(config.guard()).isEqualTo(new ServerConfig.Ceiling(Limit.perSecond(10), 7));
    assertThat(config.reservationSecret()).isEqualTo("a secret of some length");
  }

  @Test
  void listsAllThatIsWrongWithItsLine() {
    List<String> reasons =
        reasons(
            """
            listen: { http: somewhere }
            guard:
              rate: fast
              in_flight: 0
              colour: red
            gateway: { upstream: "http://localhost" }
            store: { redis: { uri: "redis://localhost" } }
            rules: { file: }
            reservations: { secret: short }
            """,
            Map.of("WEIR_LISTEN_ADMIN", "x:y", "WEIR_STORE_REDIS_URI", "redis://localhost"));
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
            file + ":6: gateway.upstream is not available in this version",
            file + ":7: store.redis.uri is not available in this version",
            file + ":8: rules.file: has no value",
            file + ":9: reservations.secret: a secret has at least 16 characters",
            "WEIR_STORE_REDIS_URI is not available in this version");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "text", "a: [", "a: 1\na: 2", "!!java/object x", "a: &b 1"})
  void refusesWhatIsNoConfiguration(String yaml) {
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
    assertThat(Address.parse(text)).isEqualTo(new Address(host, port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "::1:80", "1.2.3.4:99999", "1.2.3.4:-1", "1.2.3.4:"})
  void refusesOtherAddresses(String text) {
    assertThatThrownBy(() -> Address.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
