package io.weir.server.envoy.limit;

import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.KeyEncoding;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One domain made ready for requests: from a descriptor to the limit it meets, and its key. */
final class CompiledDomain {
  private static final int MOST_OVERRIDES = 1024;

  private final String slot;
  private final DescriptorLevel root;
  private final String overrideId;

  /** Limits that requests brought along, by their numbers. */
  private final Map<EnvoyRequest.OwnLimit, CompiledLimit> overrides = new ConcurrentHashMap<>();

  CompiledDomain(String name, String slot, DescriptorLevel root) {
    this.slot = slot;
    this.root = root;
    this.overrideId = LimitIds.name(name) + ".override";
  }

  /** The limit a descriptor meets, and whom it counts for. */
  record LimitMatch(CompiledLimit limit, Key key) {}

  /** The limit that a descriptor of a request meets; null if none. */
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
      DescriptorNode branch = level.find(entry.key(), entry.value());
      if (branch == null) {
        return null;
      }
      if (branch.varies()) {
        if (first == null) {
          first = entry.value();
        } else {
          several = several == null ? new ArrayList<>(List.of(first)) : several;
          several.add(entry.value());
        }
      }
      limit = branch.limit();
      level = branch.next();
    }
    if (limit == null) {
      return null;
    }
    return new LimitMatch(limit, key(first, several));
  }

  /**
   * Only what varies is in the key; the rest is in the pool's name. Several values make one part,
   * so that no common value draws all keys into one slot of a cluster.
   */
  private static Key key(@Nullable String first, @Nullable List<String> several) {
    if (several != null) {
      return Key.of(KeyEncoding.join(several.toArray(String[]::new)));
    }
    return first == null ? Key.NONE : Key.of(first);
  }

  /** A descriptor that brings its own limit is counted by all its entries, and asks no file. */
  private LimitMatch overridden(EnvoyRequest.Descriptor descriptor, EnvoyRequest.OwnLimit own) {
    CompiledLimit limit = overrides.get(own);
    if (limit == null) {
      limit = made(own);
      if (overrides.size() < MOST_OVERRIDES) {
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

  private CompiledLimit made(EnvoyRequest.OwnLimit own) {
    FixedWindow window = new FixedWindow(own.requestsPerUnit(), own.unit().length(), true, "");
    EnvoyLimit said =
        new EnvoyLimit(
            "",
            new EnvoyLimit.Counted(
                own.requestsPerUnit(), own.unit(), window, EnvoyLimit.LimitOptions.DEFAULT),
            List.of());
    // Each unit has counts of its own; a changed number keeps them.
    Pool pool =
        new Pool(overrideId, overrideId, slot + "." + own.unit().number(), window, false)
            .withDimension("override");
    return new CompiledLimit(overrideId, said, EnvoyDescriptor.DescriptorOptions.NONE, pool);
  }
}
