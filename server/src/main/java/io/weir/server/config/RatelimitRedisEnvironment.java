package io.weir.server.config;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Maps the Redis variables of envoyproxy/ratelimit to settings of Weir. */
final class RatelimitRedisEnvironment {
  /** The variables read here. */
  static final Set<String> VARIABLES = Set.of("REDIS_URL", "REDIS_TYPE", "REDIS_AUTH", "REDIS_TLS");

  private RatelimitRedisEnvironment() {}

  /**
   * The settings that {@code REDIS_URL}, {@code REDIS_TYPE}, {@code REDIS_AUTH} and {@code
   * REDIS_TLS} amount to.
   *
   * @throws IllegalArgumentException if they are invalid
   */
  static Map<Setting, String> settings(Map<String, String> environment) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.STORE_REDIS_URI, uri(environment));
    String auth = environment.getOrDefault("REDIS_AUTH", "");
    int colon = auth.indexOf(':');
    if (colon > 0) {
      settings.put(Setting.STORE_REDIS_USER, auth.substring(0, colon));
    }
    if (!auth.isEmpty()) {
      settings.put(Setting.STORE_REDIS_PASSWORD, auth.substring(colon + 1));
    }
    return settings;
  }

  /** Whether these settings use TLS. */
  static boolean isSecure(Map<Setting, String> settings) {
    return settings.getOrDefault(Setting.STORE_REDIS_URI, "").startsWith("rediss");
  }

  private static String uri(Map<String, String> environment) {
    String url = environment.getOrDefault("REDIS_URL", "").strip();
    String type = environment.getOrDefault("REDIS_TYPE", "SINGLE").toUpperCase(Locale.ROOT);
    boolean tls = SettingValue.flag(environment.getOrDefault("REDIS_TLS", "false"));
    if (url.startsWith("/")) {
      throw new IllegalArgumentException(
          "Redis must be given as host:port; socket files are not supported");
    }
    int scheme = url.indexOf("://");
    if (scheme >= 0 && type.equals("SINGLE")) {
      return (tls ? "rediss" : url.substring(0, scheme)) + url.substring(scheme);
    }
    String redis = tls ? "rediss" : "redis";
    return switch (type) {
      case "SINGLE" -> redis + "://" + url;
      case "CLUSTER" -> redis + "-cluster://" + url;
      case "SENTINEL" -> {
        int comma = url.indexOf(',');
        if (comma < 1) {
          throw new IllegalArgumentException("for SENTINEL, the master's name must come first");
        }
        yield redis + "-sentinel://" + url.substring(0, comma) + "@" + url.substring(comma + 1);
      }
      default ->
          throw new IllegalArgumentException(
              "REDIS_TYPE must be SINGLE, SENTINEL or CLUSTER, not " + type);
    };
  }
}
