package io.weir.server.envoy.limit;

import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.base.KeyEncoding;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A compiled domain: maps a descriptor of a request to its limit and key. */
final class CompiledDomain {
  private static final int MAX_OVERRIDES = 1024;

  private final String slot;
  private final DescriptorLevel root;
  private final String overrideId;

  /** Limits that requests carried themselves, by their numbers. */
  private final Map<EnvoyRequest.OwnLimit, CompiledLimit> overrides = new ConcurrentHashMap<>();

  CompiledDomain(String name, String slot, DescriptorLevel root) {
    this.slot = slot;
    this.root = root;
    this.overrideId = LimitIds.name(name) + ".override";
  }

  /** The limit of a descriptor, and the key it is counted under. */
  record LimitMatch(CompiledLimit limit, Key key) {}

  /** The limit that matches a descriptor of a request; null if none does. */
  @Nullable LimitMatch match(EnvoyRequest.Descriptor descriptor) {
    EnvoyRequest.OwnLimit own = descriptor.own();
    return own == null ? walk(descriptor.entries()) : overridden(descriptor, own);
  }

  private @Nullable LimitMatch walk(List<EnvoyRequest.Entry> entries) {
    DescriptorLevel level = root;
    CompiledLimit limit = null;
    String first = null;
    List<String> several = null;
    for (int i = 0; i < entries.size(); i++) {
      EnvoyRequest.Entry entry = entries.get(i);
      DescriptorNode node = level.find(entry.key(), entry.value());
      if (node == null) {
        return null;
      }
      if (node.varies()) {
        if (first == null) {
          first = entry.value();
        } else {
          several = several == null ? new ArrayList<>(List.of(first)) : several;
          several.add(entry.value());
        }
      }
      limit = node.limit();
      level = node.next();
    }
    if (limit == null) {
      return null;
    }
    return new LimitMatch(limit, key(first, several));
  }

  /**
   * The key of the values that vary; all others are part of the pool's name. Several values are
   * joined into one part, so that a common first value does not put all keys into one slot of a
   * Redis cluster.
   */
  private static Key key(@Nullable String first, @Nullable List<String> several) {
    if (several != null) {
      return Key.of(KeyEncoding.join(several.toArray(String[]::new)));
    }
    return first == null ? Key.NONE : Key.of(first);
  }

  /** A descriptor with its own limit is counted by all its entries; the files do not apply. */
  private LimitMatch overridden(EnvoyRequest.Descriptor descriptor, EnvoyRequest.OwnLimit own) {
    CompiledLimit limit = overrides.get(own);
    if (limit == null) {
      limit = overrideLimit(own);
      if (overrides.size() < MAX_OVERRIDES) {
        overrides.put(own, limit);
      }
    }
    String[] parts = new String[2 * descriptor.entries().size()];
    for (int i = 0; i < descriptor.entries().size(); i++) {
      parts[2 * i] = descriptor.entries().get(i).key();
      parts[2 * i + 1] = descriptor.entries().get(i).value();
    }
    return new LimitMatch(limit, Key.of(KeyEncoding.join(parts)));
  }

  private CompiledLimit overrideLimit(EnvoyRequest.OwnLimit own) {
    FixedWindow window = new FixedWindow(own.requestsPerUnit(), own.unit().length(), true, "");
    EnvoyLimit definition =
        new EnvoyLimit(
            "",
            new EnvoyLimit.Counted(
                own.requestsPerUnit(), own.unit(), window, EnvoyLimit.LimitOptions.DEFAULT),
            List.of());
    // Each unit has counts of its own; a changed number of requests keeps them.
    Pool pool =
        new Pool(overrideId, overrideId, slot + "." + own.unit().number(), window, false)
            .withDimension("override");
    return new CompiledLimit(overrideId, definition, EnvoyDescriptor.DescriptorOptions.NONE, pool);
  }
}
