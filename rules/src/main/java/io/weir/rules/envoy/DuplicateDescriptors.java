package io.weir.rules.envoy;

import io.weir.rules.tree.Location;
import java.util.HashMap;
import java.util.Map;

/** The descriptors of one level so far, of which no two may have the same key and value. */
final class DuplicateDescriptors {
  private record DescriptorKey(String key, String value) {}

  private final Map<DescriptorKey, String> seen = new HashMap<>();

  /** Reports a descriptor that is already there. */
  void add(EnvoyFields descriptor, String key, String value) {
    Location place = descriptor.place();
    String here = place.file() + ":" + descriptor.line("key");
    String earlier = seen.putIfAbsent(new DescriptorKey(key, value), here);
    if (earlier != null) {
      place.error(
          descriptor.line("key"),
          "there is already a descriptor with this key and "
              + (value.isEmpty() ? "no value" : "value")
              + ", in "
              + earlier);
    }
  }
}
