package io.weir.rules.envoy;

import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.store.KeyText;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One domain made ready for requests: from a descriptor to the limit it meets, and its key. */
final class LiveDomain {
  private static final int MOST_OVERRIDES = 1024;

  private final String slot;
  private final Level root;
  private final String overrideId;

  /** Limits that requests brought along, by their numbers. */
  private final Map<Question.OwnLimit, LiveLimit> overrides = new ConcurrentHashMap<>();

  LiveDomain(String name, String slot, Level root) {
    this.slot = slot;
    this.root = root;
    this.overrideId = LimitIds.name(name) + ".override";
  }

  /** The limit a descriptor meets, and whom it counts for. */
  record Meeting(LiveLimit limit, Key key) {}

  /** The limit that a descriptor of a request meets; null if none. */
  @Nullable Meeting meet(Question.Descriptor descriptor) {
    Question.OwnLimit own = descriptor.own();
    return own == null ? walk(descriptor.entries()) : overridden(descriptor, own);
  }

  private @Nullable Meeting walk(List<Question.Entry> entries) {
    Level level = root;
    LiveLimit limit = null;
    String first = null;
    List<String> several = null;
    for (int i = 0; i < entries.size(); i++) {
      Question.Entry entry = entries.get(i);
      Branch branch = level.find(entry.key(), entry.value());
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
    return new Meeting(limit, key(first, several));
  }

  /**
   * Only what varies is in the key; the rest is in the pool's name. Several values make one part,
   * so that no common value draws all keys into one slot of a cluster.
   */
  private static Key key(@Nullable String first, @Nullable List<String> several) {
    if (several != null) {
      return Key.of(KeyText.join(several.toArray(String[]::new)));
    }
    return first == null ? Key.NONE : Key.of(first);
  }

  /** A descriptor that brings its own limit is counted by all its entries, and asks no file. */
  private Meeting overridden(Question.Descriptor descriptor, Question.OwnLimit own) {
    LiveLimit limit = overrides.get(own);
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
    return new Meeting(limit, Key.of(KeyText.join(parts)));
  }

  private LiveLimit made(Question.OwnLimit own) {
    FixedWindow window = new FixedWindow(own.requestsPerUnit(), own.unit().length(), true, "");
    EnvoyLimit said =
        new EnvoyLimit(
            "",
            new EnvoyLimit.Counted(
                own.requestsPerUnit(), own.unit(), window, EnvoyLimit.Options.DEFAULT),
            List.of());
    // Each unit has counts of its own; a changed number keeps them.
    Pool pool =
        new Pool(overrideId, overrideId, slot + "." + own.unit().number(), window, false)
            .about("override");
    return new LiveLimit(overrideId, said, EnvoyDescriptor.Traits.NONE, pool);
  }
}
