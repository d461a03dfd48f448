package io.weir.rules.envoy;

import io.weir.rules.tree.Location;
import java.util.HashMap;
import java.util.Map;

/** Detects descriptors of one level that have the same key and value. */
final class DuplicateDescriptors {
  private record DescriptorKey(String key, String value) {}

  private final Map<DescriptorKey, String> seen = new HashMap<>();

  /** Adds a descriptor; a duplicate is reported. */
  void add(EnvoyFields descriptor, String key, String value) {
    Location location = descriptor.location();
    String here = location.file() + ":" + descriptor.line("key");
    String earlier = seen.putIfAbsent(new DescriptorKey(key, value), here);
    if (earlier != null) {
      location.error(
          descriptor.line("key"),
          "there is already a descriptor with this key and "
              + (value.isEmpty() ? "no value" : "value")
              + ", in "
              + earlier);
    }
  }
}
