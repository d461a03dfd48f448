package io.weir.redis.doctor;

import java.util.HashMap;
import java.util.Map;

/** The fields of a node's {@code INFO}. */
record NodeInfo(Map<String, String> fields) {
  /** For a node that refuses {@code INFO}. */
  static final NodeInfo UNKNOWN = new NodeInfo(Map.of());

  static NodeInfo parse(String text) {
    Map<String, String> fields = new HashMap<>();
    text.lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
              }
            });
    return new NodeInfo(fields);
  }

  String text(String field) {
    return fields.getOrDefault(field, "");
  }

  boolean is(String field, String value) {
    return value.equals(fields.get(field));
  }

  /** Whether it is a Sentinel; Redis and Valkey have different names for the field. */
  boolean isSentinel() {
    return is("redis_mode", "sentinel") || is("server_mode", "sentinel");
  }

  /** Such as {@code Redis 7.0.15}; empty if unknown. */
  String version() {
    String valkey = text("valkey_version");
    String redis = text("redis_version");
    return valkey.isEmpty() ? (redis.isEmpty() ? "" : "Redis " + redis) : "Valkey " + valkey;
  }

  /**
   * Whether the node evicts limits in use when it is full. All keys of Weir have a TTL, so they are
   * volatile.
   */
  boolean evictsLimits() {
    String policy = text("maxmemory_policy");
    return (policy.startsWith("allkeys") || policy.startsWith("volatile"))
        && !policy.equals("volatile-ttl");
  }

  /** A number; 0 if unknown. */
  long number(String field) {
    try {
      return Long.parseLong(text(field));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Whether the version is at least this; only its first two numbers count. */
  boolean isAtLeast(int major, int minor) {
    String[] parts = text("redis_version").split("\\.");
    try {
      int first = Integer.parseInt(parts[0]);
      return first > major
          || (first == major && parts.length > 1 && Integer.parseInt(parts[1]) >= minor);
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
