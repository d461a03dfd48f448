package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyDescriptor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One level of the descriptor tree. A lookup tries the exact key and value, then the patterns in
 * file order, then the key alone.
 */
final class DescriptorLevel {
  private final Map<String, ValueChoices> byKey = new HashMap<>();

  /** The descriptors under one key. */
  private static final class ValueChoices {
    final Map<String, DescriptorNode> exact = new HashMap<>();
    GlobEntry[] patterns = {};
    @Nullable DescriptorNode bare;

    @Nullable DescriptorNode find(String value) {
      DescriptorNode node = exact.get(value);
      if (node != null) {
        return node;
      }
      for (GlobEntry pattern : patterns) {
        if (pattern.glob.matches(value)) {
          return pattern.node;
        }
      }
      return bare;
    }
  }

  private record GlobEntry(Glob glob, DescriptorNode node) {}

  void add(EnvoyDescriptor descriptor, DescriptorNode node) {
    ValueChoices choices = byKey.computeIfAbsent(descriptor.key(), key -> new ValueChoices());
    if (descriptor.value().isEmpty()) {
      choices.bare = node;
      return;
    }
    choices.exact.put(descriptor.value(), node);
    if (descriptor.isPattern()) {
      GlobEntry[] more = java.util.Arrays.copyOf(choices.patterns, choices.patterns.length + 1);
      more[choices.patterns.length] = new GlobEntry(new Glob(descriptor.value()), node);
      choices.patterns = more;
    }
  }

  @Nullable DescriptorNode find(String key, String value) {
    ValueChoices choices = byKey.get(key);
    return choices == null ? null : choices.find(value);
  }
}
