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
 * The variables that operators of envoyproxy/ratelimit set, as settings of Weir: {@code
 * RUNTIME_ROOT} is {@code rules.envoy}, {@code SHADOW_MODE} is {@code envoy.shadow_mode}.
 *
 * <p>Ports are taken in any case, though beside a gateway they do not say that decisions are
 * wanted: whoever runs processes may hand {@code PORT} to all of them. Everything else is taken
 * only if there is a configuration folder for Envoy, as other programs have variables of these
 * names too.
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

  /** What is said in the same words. */
  private static final Map<String, Setting> SAME =
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

  /** Where that project looks unless {@code RUNTIME_ROOT} is set. */
  private static final String USUAL_ROOT = "/srv/runtime_data/current";

  private static final List<String> BELOW_ROOT =
      List.of("RUNTIME_SUBDIRECTORY", "RUNTIME_APPDIRECTORY");

  private static final Map<String, Setting> REDIS_TLS =
      Map.of(
          "REDIS_TLS_CACERT", Setting.STORE_REDIS_TLS_CA,
          "REDIS_TLS_CLIENT_CERT", Setting.STORE_REDIS_TLS_CERT,
          "REDIS_TLS_CLIENT_KEY", Setting.STORE_REDIS_TLS_KEY);

  /**
   * Variables, and the beginnings of their names up to an underscore, that mean nothing here; some
   * of them only if others are missing.
   */
  private static final List<String> MEANINGLESS =
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
  private final Set<String> taken = new HashSet<>();

  /**
   * Variables, where they go, and what is wrong with them.
   *
   * @param values what was said before
   */
  RatelimitEnvironment(
      Map<String, String> environment, Map<Setting, SettingValue> values, List<String> reasons) {
    this.environment = new TreeMap<>(environment);
    this.environment.values().removeIf(String::isBlank);
    this.values = values;
    this.reasons = reasons;
  }

  /** Puts what the variables say over what was said before. */
  void read(ServerConfig otherwise) {
    PORTS.forEach((variable, setting) -> port(variable, setting, otherwise));
    folder();
    if (!isFolderNamed()) {
      logIgnoredVariables();
      return;
    }
    HOSTS.forEach((variable, setting) -> host(variable, setting, otherwise));
    SAME.forEach(this::put);
    dotFiles();
    redis();
    List<String> ignored =
        environment.keySet().stream()
            .filter(RatelimitEnvironment::isMeaningless)
            .filter(variable -> !taken.contains(variable))
            .toList();
    if (!ignored.isEmpty()) {
      LOG.info("envoy: these variables mean nothing here: {}", String.join(", ", ignored));
    }
  }

  private boolean isFolderNamed() {
    return values.containsKey(Setting.RULES_ENVOY)
        || environment.containsKey(Setting.RULES_ENVOY.variable());
  }

  /** Other programs have variables of these names too, so that is no mistake, but worth a line. */
  private void logIgnoredVariables() {
    List<String> said =
        environment.keySet().stream()
            .filter(
                name ->
                    SAME.containsKey(name) || RatelimitRedisEnvironment.VARIABLES.contains(name))
            .toList();
    if (!said.isEmpty()) {
      LOG.info(
          "envoy: no configuration folder is named, by RUNTIME_ROOT for example, so these variables"
              + " mean nothing here: {}",
          String.join(", ", said));
    }
  }

  private void put(String variable, Setting setting) {
    if (environment.containsKey(variable)) {
      put(setting, environment.get(variable), variable);
    }
  }

  private void put(Setting setting, String text, String variable) {
    values.put(setting, new SettingValue(text, variable));
    taken.add(variable);
  }

  private void port(String variable, Setting setting, ServerConfig otherwise) {
    String text = environment.get(variable);
    if (text == null || isMalformed(setting)) {
      return;
    }
    try {
      ListenAddress address = now(setting, otherwise).port(Integer.parseInt(text.strip()));
      SettingValue said = values.get(setting);
      put(setting, address.toString(), said == null ? variable : said.source());
    } catch (IllegalArgumentException e) {
      reasons.add(variable + ": '" + text + "' is not a port");
    }
  }

  /** Whether a value was said by nobody but {@code PORT} and its like. */
  static boolean isPort(SettingValue value) {
    return PORTS.containsKey(value.source());
  }

  private void host(String variable, Setting setting, ServerConfig otherwise) {
    if (environment.containsKey(variable) && !isMalformed(setting)) {
      int port = now(setting, otherwise).port();
      put(setting, new ListenAddress(environment.get(variable), port).toString(), variable);
    }
  }

  /** Whether an address is no address: it stays, so that it is reported where it was said. */
  private boolean isMalformed(Setting setting) {
    SettingValue said = values.get(setting);
    if (said == null) {
      return false;
    }
    try {
      ListenAddress.parse(said.text());
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  /** Where to listen as far as is known. */
  private ListenAddress now(Setting setting, ServerConfig otherwise) {
    SettingValue said = values.get(setting);
    if (said != null) {
      return ListenAddress.parse(said.text());
    }
    return switch (setting) {
      case LISTEN_HTTP -> otherwise.http();
      case LISTEN_GRPC -> otherwise.grpc();
      default -> otherwise.admin();
    };
  }

  /**
   * The folder is {@code config} below the root, or what the variables name instead. The root is
   * that project's unless it is said, but only where nobody names a folder otherwise.
   */
  private void folder() {
    boolean rooted = environment.containsKey("RUNTIME_ROOT");
    boolean below = BELOW_ROOT.stream().anyMatch(environment::containsKey);
    if (rooted || (below && !isFolderNamed())) {
      Path folder =
          Path.of(environment.getOrDefault("RUNTIME_ROOT", USUAL_ROOT))
              .resolve(below("RUNTIME_SUBDIRECTORY", ""))
              .resolve(below("RUNTIME_APPDIRECTORY", "config"));
      put(Setting.RULES_ENVOY, folder.toAbsolutePath().toString(), "RUNTIME_ROOT");
      taken.addAll(BELOW_ROOT);
    }
  }

  /** A folder below another one, as that project joins them: also where it starts with a slash. */
  private String below(String variable, String otherwise) {
    return environment.getOrDefault(variable, otherwise).replaceFirst("^/+", "");
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
    taken.addAll(RatelimitRedisEnvironment.VARIABLES);
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

  private static boolean isMeaningless(String variable) {
    return MEANINGLESS.stream()
        .anyMatch(
            name ->
                variable.equals(name)
                    || variable.startsWith(name.endsWith("_") ? name : name + "_"));
  }
}
