package io.weir.server.config;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps the environment variables of envoyproxy/ratelimit to settings of Weir: {@code RUNTIME_ROOT}
 * is {@code rules.envoy}, {@code SHADOW_MODE} is {@code envoy.shadow_mode}.
 *
 * <p>Ports always apply. Beside a gateway they do not open the data and gRPC ports, because
 * platforms set {@code PORT} for every process. All other variables apply only if there is a
 * configuration folder for Envoy, as other programs use the same names.
 */
final class RatelimitEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(RatelimitEnvironment.class);

  private static final Map<String, Setting> PORTS =
      Map.of(
          "PORT",
          Setting.LISTEN_HTTP,
          "GRPC_PORT",
          Setting.LISTEN_GRPC,
          "DEBUG_PORT",
          Setting.LISTEN_ADMIN);

  private static final Map<String, Setting> HOSTS =
      Map.of("HOST", Setting.LISTEN_HTTP, "GRPC_HOST", Setting.LISTEN_GRPC);

  /** Variables whose values have the same syntax as the setting. */
  private static final Map<String, Setting> DIRECT =
      Map.ofEntries(
          Map.entry("SHADOW_MODE", Setting.ENVOY_SHADOW_MODE),
          Map.entry("QUOTA_MODE", Setting.ENVOY_QUOTA_MODE),
          Map.entry("NEAR_LIMIT_RATIO", Setting.ENVOY_NEAR_LIMIT_RATIO),
          Map.entry("CACHE_KEY_PREFIX", Setting.ENVOY_KEY_PREFIX),
          Map.entry("MERGE_DOMAIN_CONFIG", Setting.ENVOY_MERGE_DOMAINS),
          Map.entry("LIMIT_RESPONSE_HEADERS_ENABLED", Setting.ENVOY_HEADERS_ENABLED),
          Map.entry("LIMIT_LIMIT_HEADER", Setting.ENVOY_HEADERS_LIMIT),
          Map.entry("LIMIT_REMAINING_HEADER", Setting.ENVOY_HEADERS_REMAINING),
          Map.entry("LIMIT_RESET_HEADER", Setting.ENVOY_HEADERS_RESET));

  /** The default of {@code RUNTIME_ROOT}. */
  private static final String DEFAULT_ROOT = "/srv/runtime_data/current";

  private static final List<String> BELOW_ROOT =
      List.of("RUNTIME_SUBDIRECTORY", "RUNTIME_APPDIRECTORY");

  private static final Map<String, Setting> REDIS_TLS =
      Map.of(
          "REDIS_TLS_CACERT", Setting.STORE_REDIS_TLS_CA,
          "REDIS_TLS_CLIENT_CERT", Setting.STORE_REDIS_TLS_CERT,
          "REDIS_TLS_CLIENT_KEY", Setting.STORE_REDIS_TLS_KEY);

  /**
   * Variables and prefixes (up to an underscore) of variables that have no effect in Weir; some of
   * them only if others are missing.
   */
  private static final List<String> NO_EFFECT =
      List.of(
          "BACKEND_TYPE",
          "CONFIG_GRPC_XDS_",
          "CONFIG_TYPE",
          "DEBUG_HOST",
          "DISABLE_STATS",
          "EXPIRATION_JITTER_MAX_SECONDS",
          "EXTRA_TAGS",
          "FORCE_START_WITHOUT_INITIAL_CONFIG",
          "GLOBAL_SHADOW_MODE",
          "GRPC_AUTH_TOKEN",
          "GRPC_CLIENT_",
          "GRPC_MAX_CONNECTION_AGE",
          "GRPC_SERVER_",
          "GRPC_UDS",
          "HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED",
          "LOCAL_CACHE_SIZE_IN_BYTES",
          "MEMCACHE_",
          "PROMETHEUS_",
          "PROTO",
          "REDIS_AUTH",
          "REDIS_CLUSTER_",
          "REDIS_HEALTH_CHECK_",
          "REDIS_PERSECOND",
          "REDIS_PIPELINE_",
          "REDIS_POOL_",
          "REDIS_SENTINEL_AUTH",
          "REDIS_SOCKET_TYPE",
          "REDIS_TIMEOUT",
          "REDIS_TLS",
          "REDIS_TYPE",
          "RESPONSE_DYNAMIC_METADATA",
          "RUNTIME_APPDIRECTORY",
          "RUNTIME_SUBDIRECTORY",
          "STATSD_",
          "STATS_FLUSH_INTERVAL",
          "STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT",
          "TRACING_",
          "USE_DOG_STATSD",
          "USE_PROMETHEUS",
          "USE_STATSD",
          "XDS_CLIENT_BACKOFF_");

  private final Map<String, String> environment;
  private final Map<Setting, SettingValue> values;
  private final List<String> reasons;
  private final Set<String> used = new HashSet<>();

  /**
   * Variables, the settings they go into, and the list of errors.
   *
   * @param values the settings so far
   */
  RatelimitEnvironment(
      Map<String, String> environment, Map<Setting, SettingValue> values, List<String> reasons) {
    this.environment = new TreeMap<>(environment);
    this.environment.values().removeIf(String::isBlank);
    this.values = values;
    this.reasons = reasons;
  }

  /** Adds the settings of the variables, which override earlier ones. */
  void read(ServerConfig defaults) {
    PORTS.forEach((variable, setting) -> port(variable, setting, defaults));
    folder();
    if (!isFolderNamed()) {
      logIgnoredVariables();
      return;
    }
    HOSTS.forEach((variable, setting) -> host(variable, setting, defaults));
    DIRECT.forEach(this::put);
    dotFiles();
    redis();
    List<String> ignored =
        environment.keySet().stream()
            .filter(RatelimitEnvironment::hasNoEffect)
            .filter(variable -> !used.contains(variable))
            .toList();
    if (!ignored.isEmpty()) {
      LOG.info("envoy: these variables have no effect: {}", String.join(", ", ignored));
    }
  }

  private boolean isFolderNamed() {
    return values.containsKey(Setting.RULES_ENVOY)
        || environment.containsKey(Setting.RULES_ENVOY.variable());
  }

  /**
   * Logs variables that are ignored without a configuration folder. It is no error, as other
   * programs use the same names.
   */
  private void logIgnoredVariables() {
    List<String> ignored =
        environment.keySet().stream()
            .filter(
                name ->
                    DIRECT.containsKey(name) || RatelimitRedisEnvironment.VARIABLES.contains(name))
            .toList();
    if (!ignored.isEmpty()) {
      LOG.info(
          "envoy: no configuration folder is set (for example by RUNTIME_ROOT), so these variables"
              + " have no effect: {}",
          String.join(", ", ignored));
    }
  }

  private void put(String variable, Setting setting) {
    if (environment.containsKey(variable)) {
      put(setting, environment.get(variable), variable);
    }
  }

  private void put(Setting setting, String text, String variable) {
    values.put(setting, new SettingValue(text, variable));
    used.add(variable);
  }

  private void port(String variable, Setting setting, ServerConfig defaults) {
    String text = environment.get(variable);
    if (text == null || isMalformed(setting)) {
      return;
    }
    try {
      ListenAddress address = current(setting, defaults).port(Integer.parseInt(text.strip()));
      SettingValue value = values.get(setting);
      put(setting, address.toString(), value == null ? variable : value.source());
    } catch (IllegalArgumentException e) {
      reasons.add(variable + ": '" + text + "' is not a port");
    }
  }

  /** Whether a value comes only from {@code PORT} or the like. */
  static boolean isPort(SettingValue value) {
    return PORTS.containsKey(value.source());
  }

  private void host(String variable, Setting setting, ServerConfig defaults) {
    if (environment.containsKey(variable) && !isMalformed(setting)) {
      int port = current(setting, defaults).port();
      put(setting, new ListenAddress(environment.get(variable), port).toString(), variable);
    }
  }

  /** Whether an address is malformed. It is kept as it is, so that the error names its source. */
  private boolean isMalformed(Setting setting) {
    SettingValue value = values.get(setting);
    if (value == null) {
      return false;
    }
    try {
      ListenAddress.parse(value.text());
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  /** The listen address so far. */
  private ListenAddress current(Setting setting, ServerConfig defaults) {
    SettingValue value = values.get(setting);
    if (value != null) {
      return ListenAddress.parse(value.text());
    }
    return switch (setting) {
      case LISTEN_HTTP -> defaults.http();
      case LISTEN_GRPC -> defaults.grpc();
      default -> defaults.admin();
    };
  }

  /**
   * Sets the folder: {@code config} below the root, or the folders in the variables. Without {@code
   * RUNTIME_ROOT} the default root applies, but only if no folder is set otherwise.
   */
  private void folder() {
    boolean rooted = environment.containsKey("RUNTIME_ROOT");
    boolean below = BELOW_ROOT.stream().anyMatch(environment::containsKey);
    if (rooted || (below && !isFolderNamed())) {
      Path folder =
          Path.of(environment.getOrDefault("RUNTIME_ROOT", DEFAULT_ROOT))
              .resolve(below("RUNTIME_SUBDIRECTORY", ""))
              .resolve(below("RUNTIME_APPDIRECTORY", "config"));
      put(Setting.RULES_ENVOY, folder.toAbsolutePath().toString(), "RUNTIME_ROOT");
      used.addAll(BELOW_ROOT);
    }
  }

  /**
   * A folder below another one, joined as envoyproxy/ratelimit does, even if it starts with a
   * slash.
   */
  private String below(String variable, String defaults) {
    return environment.getOrDefault(variable, defaults).replaceFirst("^/+", "");
  }

  private void dotFiles() {
    String ignore = environment.get("RUNTIME_IGNOREDOTFILES");
    if (ignore != null) {
      try {
        put(
            Setting.ENVOY_DOT_FILES,
            Boolean.toString(!SettingValue.flag(ignore)),
            "RUNTIME_IGNOREDOTFILES");
      } catch (IllegalArgumentException e) {
        reasons.add("RUNTIME_IGNOREDOTFILES: " + e.getMessage());
      }
    }
  }

  private void redis() {
    if (!environment.containsKey("REDIS_URL")) {
      return;
    }
    used.addAll(RatelimitRedisEnvironment.VARIABLES);
    try {
      Map<Setting, String> settings = RatelimitRedisEnvironment.settings(environment);
      settings.forEach((setting, text) -> put(setting, text, "REDIS_URL"));
      if (RatelimitRedisEnvironment.isSecure(settings)) {
        REDIS_TLS.forEach(this::put);
      }
    } catch (IllegalArgumentException e) {
      reasons.add("REDIS_URL: " + e.getMessage());
    }
  }

  private static boolean hasNoEffect(String variable) {
    return NO_EFFECT.stream()
        .anyMatch(
            name ->
                variable.equals(name)
                    || variable.startsWith(name.endsWith("_") ? name : name + "_"));
  }
}
