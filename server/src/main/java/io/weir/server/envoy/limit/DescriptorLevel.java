package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyDescriptor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors that may come next: by exact key and value, else by the first pattern in file
 * order, else by the key alone.
 */
final class DescriptorLevel {
  private final Map<String, ValueChoices> byKey = new HashMap<>();

  /** What may come next under one key. */
  private static final class ValueChoices {
    final Map<String, DescriptorNode> exact = new HashMap<>();
    GlobEntry[] patterns = {};
    @Nullable DescriptorNode bare;

    @Nullable DescriptorNode find(String value) {
      DescriptorNode branch = exact.get(value);
      if (branch != null) {
        return branch;
      }
      for (GlobEntry pattern : patterns) {
        if (pattern.glob.matches(value)) {
          return pattern.branch;
        }
      }
      return bare;
    }
  }

  private record GlobEntry(Glob glob, DescriptorNode branch) {}

  void add(EnvoyDescriptor descriptor, DescriptorNode branch) {
    ValueChoices choices = byKey.computeIfAbsent(descriptor.key(), key -> new ValueChoices());
    if (descriptor.value().isEmpty()) {
      choices.bare = branch;
      return;
    }
    choices.exact.put(descriptor.value(), branch);
    if (descriptor.isPattern()) {
      GlobEntry[] more = java.util.Arrays.copyOf(choices.patterns, choices.patterns.length + 1);
      more[choices.patterns.length] = new GlobEntry(new Glob(descriptor.value()), branch);
      choices.patterns = more;
    }
  }

  @Nullable DescriptorNode find(String key, String value) {
    ValueChoices choices = byKey.get(key);
    return choices == null ? null : choices.find(value);
  }
}
