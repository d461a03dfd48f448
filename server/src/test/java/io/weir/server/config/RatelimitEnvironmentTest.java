package io.weir.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.redis.RedisOptions;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import io.weir.testkit.LogCapture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The variables of envoyproxy/ratelimit keep working. */
class RatelimitEnvironmentTest {
  @TempDir private Path folder;

  private static ServerConfig read(Map<String, String> environment) throws ConfigException {
    return ServerConfig.read(Optional.empty(), environment);
  }

  @Test
  void readsEveryVariable() throws Exception {
    ServerConfig config =
        read(
            Map.ofEntries(
                Map.entry("PORT", "18080"),
                Map.entry("GRPC_PORT", "18081"),
                Map.entry("DEBUG_PORT", "16070"),
                Map.entry("GRPC_HOST", "0.0.0.0"),
                Map.entry("RUNTIME_ROOT", "/data"),
                Map.entry("RUNTIME_SUBDIRECTORY", "ratelimit"),
                Map.entry("RUNTIME_IGNOREDOTFILES", "false"),
                Map.entry("RUNTIME_WATCH_ROOT", "false"),
                Map.entry("SHADOW_MODE", "true"),
                Map.entry("QUOTA_MODE", "1"),
                Map.entry("NEAR_LIMIT_RATIO", "0.5"),
                Map.entry("CACHE_KEY_PREFIX", "mine:"),
                Map.entry("LIMIT_RESPONSE_HEADERS_ENABLED", "T"),
                Map.entry("LIMIT_LIMIT_HEADER", "X-A"),
                Map.entry("LIMIT_REMAINING_HEADER", "X-B"),
                Map.entry("LIMIT_RESET_HEADER", "X-C"),
                Map.entry("MERGE_DOMAIN_CONFIG", "true"),
                Map.entry("LOG_LEVEL", "debug"),
                Map.entry("USE_STATSD", "false")));

    assertThat(config.http()).hasToString("127.0.0.1:18080");
    assertThat(config.grpc()).hasToString("0.0.0.0:18081");
    assertThat(config.admin()).hasToString("127.0.0.1:16070");
    assertThat(config.envoy())
        .isEqualTo(
            new EnvoySettings(
                Optional.of(Path.of("/data/ratelimit/config")),
                new EnvoyOptions(true, true, "mine:"),
                new Modes(true, true),
                0.5,
                new RateLimitHeaderNames(true, "X-A", "X-B", "X-C")));
  }

  @Test
  void findsTheFolderBelowTheRoot() throws Exception {
    assertThat(read(Map.of("RUNTIME_ROOT", "/data")).envoy().folder())
        .hasValue(Path.of("/data/config"));
    assertThat(
            read(Map.of("RUNTIME_ROOT", "/data", "RUNTIME_APPDIRECTORY", "limits"))
                .envoy()
                .folder())
        .hasValue(Path.of("/data/limits"));
  }

  @Test
  void ignoresVariablesOfOtherPrograms() throws Exception {
    ServerConfig config =
        read(Map.of("REDIS_URL", "redis://elsewhere", "SHADOW_MODE", "maybe", "HOST", "box"));
    assertThat(config.envoy()).isEqualTo(EnvoySettings.DEFAULT);
    assertThat(config.http()).isEqualTo(ServerConfig.DEFAULT.http());
  }

  @Test
  void portsDoNotOpenDecisionListenersBesideAGateway() throws Exception {
    Map<String, String> ports = Map.of("PORT", "18080", "GRPC_PORT", "18081");
    Path named = Files.writeString(folder.resolve("weir.yaml"), "listen: { grpc: 0.0.0.0:1 }\n");

    assertThat(read(ports).frontEnd().gateway().decisions()).isFalse();
    assertThat(read(ports).http()).hasToString("127.0.0.1:18080");
    assertThat(
            read(Map.of("PORT", "18080", "RUNTIME_ROOT", "/data")).frontEnd().gateway().decisions())
        .isTrue();
    assertThat(
            read(Map.of("PORT", "18080", "WEIR_LISTEN_HTTP", "127.0.0.1:5"))
                .frontEnd()
                .gateway()
                .decisions())
        .isTrue();
    assertThat(ServerConfig.read(Optional.of(named), ports).frontEnd().gateway().decisions())
        .isTrue();
  }

  @Test
  void keepsHostsOfTheFileAndPrefersWeirVariables() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "listen: { grpc: 0.0.0.0:1, http: 0.0.0.0:2 }\nrules: { envoy: limits }\n");
    ServerConfig config =
        ServerConfig.read(
            Optional.of(file),
            Map.of("GRPC_PORT", "3", "PORT", "4", "WEIR_LISTEN_HTTP", "127.0.0.1:5"));
    assertThat(config.grpc()).hasToString("0.0.0.0:3");
    assertThat(config.http()).hasToString("127.0.0.1:5");
    assertThat(config.envoy().folder()).hasValue(folder.resolve("limits"));
  }

  @Test
  void aPortDoesNotHideAMalformedAddress() {
    Map<String, String> environment =
        Map.of("PORT", "18080", "GRPC_PORT", "18081", "WEIR_LISTEN_HTTP", "nonsense");

    assertThatThrownBy(() -> read(environment))
        .hasMessageContaining("nonsense")
        .hasMessageNotContaining("18080");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          PORT                   | high   | PORT: 'high' is not a port
          GRPC_PORT              | 70000  | GRPC_PORT: '70000' is not a port
          SHADOW_MODE            | maybe  | SHADOW_MODE: 'maybe' is neither true nor false
          RUNTIME_IGNOREDOTFILES | maybe  | RUNTIME_IGNOREDOTFILES: 'maybe' is neither true nor false
          NEAR_LIMIT_RATIO       | 2      | NEAR_LIMIT_RATIO: 2 is not between 0 and 1
          NEAR_LIMIT_RATIO       | NaN    | NEAR_LIMIT_RATIO: NaN is not between 0 and 1
          LIMIT_RESET_HEADER     | a b    | LIMIT_RESET_HEADER: 'a b' is not the name of a header
          """)
  void reportsInvalidValues(String variable, String value, String reason) {
    assertThatThrownBy(() -> read(Map.of("RUNTIME_ROOT", "/data", variable, value)))
        .isInstanceOfSatisfying(
            ConfigException.class, e -> assertThat(e.reasons()).containsExactly(reason));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          -        | host:6379               | -    | redis://host:6379
          SINGLE   | redis://host:6379       | -    | redis://host:6379
          single   | host:6379               | true | rediss://host:6379
          SENTINEL | mymaster,a:1,b:2        | -    | redis-sentinel://mymaster@a:1,b:2
          CLUSTER  | a:1,b:2                 | 1    | rediss-cluster://a:1,b:2
          """)
  void translatesTheRedisAddress(String type, String url, String tls, String uri) {
    Map<String, String> environment = new HashMap<>(Map.of("REDIS_URL", url));
    if (type != null) {
      environment.put("REDIS_TYPE", type);
    }
    if (tls != null) {
      environment.put("REDIS_TLS", tls);
    }
    assertThat(RatelimitRedisEnvironment.settings(environment))
        .isEqualTo(Map.of(Setting.STORE_REDIS_URI, uri));
  }

  @Test
  void keepsStateInTheSameRedis() throws Exception {
    ServerConfig config =
        read(
            Map.of(
                "RUNTIME_ROOT",
                "/data",
                "REDIS_URL",
                "mymaster,a:1,b:2",
                "REDIS_TYPE",
                "SENTINEL",
                "REDIS_AUTH",
                "secret"));
    assertThat(config.store()).isEqualTo("redis-sentinel://mymaster@a:1,b:2");
    assertThatThrownBy(
            () -> read(Map.of("RUNTIME_ROOT", "/data", "REDIS_URL", "h:1", "REDIS_TYPE", "X")))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e -> assertThat(e.reasons()).singleElement().asString().startsWith("REDIS_URL: "));
  }

  @Test
  void translatesRedisCredentials() {
    assertThat(
            RatelimitRedisEnvironment.settings(Map.of("REDIS_URL", "h:1", "REDIS_AUTH", "secret")))
        .containsEntry(Setting.STORE_REDIS_PASSWORD, "secret")
        .doesNotContainKey(Setting.STORE_REDIS_USER);
    assertThat(
            RatelimitRedisEnvironment.settings(
                Map.of("REDIS_URL", "h:1", "REDIS_AUTH", "me:sec:ret")))
        .containsEntry(Setting.STORE_REDIS_PASSWORD, "sec:ret")
        .containsEntry(Setting.STORE_REDIS_USER, "me");
    assertThatThrownBy(
            () -> RatelimitRedisEnvironment.settings(Map.of("REDIS_URL", "/run/redis.sock")))
        .hasMessageContaining("socket files are not supported");
    assertThatThrownBy(
            () ->
                RatelimitRedisEnvironment.settings(
                    Map.of("REDIS_URL", "h:1", "REDIS_TYPE", "SENTINEL")))
        .hasMessageContaining("the master's name must come first");
    assertThatThrownBy(
            () -> RatelimitRedisEnvironment.settings(Map.of("REDIS_URL", "h:1", "REDIS_TYPE", "X")))
        .hasMessageContaining("SINGLE, SENTINEL or CLUSTER");
  }

  @Test
  void usesRedisCertificatesOnlyWithTls() throws Exception {
    Path ca = Files.writeString(folder.resolve("ca.pem"), "");
    Path certificate = Files.writeString(folder.resolve("c.pem"), "");
    Path key = Files.writeString(folder.resolve("k.pem"), "");
    Map<String, String> environment =
        new HashMap<>(
            Map.of(
                "RUNTIME_ROOT",
                "/data",
                "REDIS_URL",
                "h:1",
                "REDIS_TLS",
                "true",
                "REDIS_TLS_CACERT",
                ca.toString(),
                "REDIS_TLS_CLIENT_CERT",
                certificate.toString(),
                "REDIS_TLS_CLIENT_KEY",
                key.toString()));

    assertThat(read(environment).redis().orElseThrow().tls())
        .isEqualTo(
            new RedisOptions.Tls(Optional.of(ca), Optional.of(certificate), Optional.of(key)));
    assertThat(ignored(environment)).isEmpty();
    environment.put("REDIS_TLS", "false");
    assertThat(read(environment).redis().orElseThrow().tls()).isEqualTo(RedisOptions.Tls.PLATFORM);
    assertThat(ignored(environment))
        .containsExactly(
            "envoy: these variables have no effect:"
                + " REDIS_TLS_CACERT, REDIS_TLS_CLIENT_CERT, REDIS_TLS_CLIENT_KEY");
    environment.put("REDIS_TLS", "true");
    environment.put("REDIS_TLS_CACERT", "/none");
    assertThatThrownBy(() -> read(environment))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e -> assertThat(e.reasons()).containsExactly("REDIS_TLS_CACERT: /none cannot be read"));
  }

  @Test
  void logsIgnoredVariablesInOneLine() throws Exception {
    Map<String, String> environment =
        Map.of(
            "RUNTIME_ROOT", "/data",
            "REDIS_TLS_SKIP_HOSTNAME_VERIFICATION", "true",
            "REDIS_AUTH", "secret",
            "DEBUG_HOST", "0.0.0.0",
            "GRPC_UDS", "/tmp/s",
            "STATS_FLUSH_INTERVAL", "1s",
            "DISABLE_STATS", "true",
            "XDS_CLIENT_BACKOFF_JITTER", "true",
            "PROTO", "tcp",
            "PROTOC_HOME", "/opt");

    assertThat(ignored(environment))
        .containsExactly(
            "envoy: these variables have no effect: DEBUG_HOST, DISABLE_STATS, GRPC_UDS, PROTO,"
                + " REDIS_AUTH, REDIS_TLS_SKIP_HOSTNAME_VERIFICATION, STATS_FLUSH_INTERVAL,"
                + " XDS_CLIENT_BACKOFF_JITTER");
    assertThat(read(environment).admin()).isEqualTo(ServerConfig.DEFAULT.admin());
  }

  @Test
  void usesTheDefaultRootOfRatelimit() throws Exception {
    Map<String, String> environment =
        Map.of("RUNTIME_SUBDIRECTORY", "ratelimit", "REDIS_URL", "redis:6379");
    ServerConfig config = read(environment);
    assertThat(config.envoy().folder())
        .hasValue(Path.of("/srv/runtime_data/current/ratelimit/config"));
    assertThat(config.redis()).isPresent();
    assertThat(ignored(environment)).isEmpty();
    assertThat(read(Map.of("RUNTIME_APPDIRECTORY", "limits")).envoy().folder())
        .hasValue(Path.of("/srv/runtime_data/current/limits"));
    assertThat(
            read(Map.of("RUNTIME_SUBDIRECTORY", "ratelimit", "WEIR_RULES_ENVOY", "/mine"))
                .envoy()
                .folder())
        .hasValue(Path.of("/mine"));
  }

  @Test
  void staysBelowTheRootWhereFoldersStartWithASlash() throws Exception {
    Map<String, String> environment =
        Map.of(
            "RUNTIME_ROOT", "/data",
            "RUNTIME_SUBDIRECTORY", "/ratelimit",
            "RUNTIME_APPDIRECTORY", "//limits");
    assertThat(read(environment).envoy().folder()).hasValue(Path.of("/data/ratelimit/limits"));
  }

  @Test
  void logsVariablesIgnoredWithoutAFolder() throws Exception {
    assertThat(ignored(Map.of("REDIS_URL", "redis:6379", "SHADOW_MODE", "true", "HOST", "box")))
        .containsExactly(
            "envoy: no configuration folder is set (for example by RUNTIME_ROOT), so these"
                + " variables have no effect: REDIS_URL, SHADOW_MODE");
    assertThat(ignored(Map.of("PORT", "8080", "HOST", "box"))).isEmpty();
    assertThat(ignored(Map.of("WEIR_RULES_ENVOY", "/mine", "SHADOW_MODE", "true"))).isEmpty();
  }

  /** The log lines for an environment. */
  private static List<String> ignored(Map<String, String> environment) throws ConfigException {
    try (LogCapture log = LogCapture.of(RatelimitEnvironment.class)) {
      read(environment);
      return log.messages();
    }
  }
}
