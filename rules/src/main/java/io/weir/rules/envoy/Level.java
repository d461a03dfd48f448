package io.weir.rules.envoy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors that may come next: by exact key and value, else by the first pattern in file
 * order, else by the key alone.
 */
final class Level {
  private final Map<String, Choices> byKey = new HashMap<>();

  /** What may come next under one key. */
  private static final class Choices {
    final Map<String, Branch> exact = new HashMap<>();
    Globbed[] patterns = {};
    @Nullable Branch bare;

    @Nullable Branch find(String value) {
      Branch branch = exact.get(value);
      if (branch != null) {
        return branch;
      }
      for (Globbed pattern : patterns) {
        if (pattern.glob.matches(value)) {
          return pattern.branch;
        }
      }
      return bare;
    }
  }

  private record Globbed(Glob glob, Branch branch) {}

  void add(EnvoyDescriptor descriptor, Branch branch) {
    Choices choices = byKey.computeIfAbsent(descriptor.key(), key -> new Choices());
    if (descriptor.value().isEmpty()) {
      choices.bare = branch;
      return;
    }
    choices.exact.put(descriptor.value(), branch);
    if (descriptor.isPattern()) {
      Globbed[] more = java.util.Arrays.copyOf(choices.patterns, choices.patterns.length + 1);
      more[choices.patterns.length] = new Globbed(new Glob(descriptor.value()), branch);
      choices.patterns = more;
    }
  }

  @Nullable Branch find(String key, String value) {
    Choices choices = byKey.get(key);
    return choices == null ? null : choices.find(value);
  }
}
