package io.weir.redis;

import java.util.HashMap;
import java.util.Map;

/** What a node says about itself: the fields of {@code INFO}. */
record NodeInfo(Map<String, String> fields) {
  /** What is known of a node that does not say. */
  static final NodeInfo SILENT = new NodeInfo(Map.of());

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

  /** A number; 0 if it is not said. */
  long number(String field) {
    try {
      return Long.parseLong(text(field));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Whether the version is at least this; the first two numbers of it count. */
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
