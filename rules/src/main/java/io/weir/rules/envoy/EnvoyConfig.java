package io.weir.rules.envoy;

import io.weir.limit.LeaseBound;
import io.weir.store.Pool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All domains of a configuration, made ready for requests: immutable, and swapped in whole. */
public final class EnvoyConfig {
  /** No domain at all. */
  public static final EnvoyConfig EMPTY = of(List.of(), "");

  /**
   * The place of the only limit of a descriptor in a pool's name. Limits of Weir's own rules have a
   * name or an ordinal from 1 there, so the two kinds never meet.
   */
  private static final String PLACE = "0";

  private final Map<String, LiveDomain> domains = new HashMap<>();
  private final List<LiveLimit> limits = new ArrayList<>();
  private @Nullable ExampleQuestion example;

  private EnvoyConfig() {}

  /**
   * Makes domains ready.
   *
   * @param prefix keeps the counts apart from those of others that share a store
   */
  public static EnvoyConfig of(List<EnvoyDomain> domains, String prefix) {
    EnvoyConfig config = new EnvoyConfig();
    LimitIds ids = new LimitIds();
    String slot = PLACE + (prefix.isEmpty() ? "" : LimitIds.name(prefix));
    for (EnvoyDomain domain : domains) {
      Level root = new Level();
      config.domains.put(domain.name(), new LiveDomain(domain.name(), slot, root));
      Planting planting = config.new Planting(domain.name(), slot, ids);
      domain.descriptors().forEach(descriptor -> planting.plant(root, descriptor));
    }
    return config;
  }

  /** Turns the descriptors of one domain into branches. */
  private final class Planting {
    private final String domain;
    private final String slot;
    private final LimitIds ids;
    private final Deque<EnvoyDescriptor> way = new ArrayDeque<>();

    Planting(String domain, String slot, LimitIds ids) {
      this.domain = domain;
      this.slot = slot;
      this.ids = ids;
    }

    /** Files are not nested deeply, so this may recurse. */
    void plant(Level level, EnvoyDescriptor descriptor) {
      way.addLast(descriptor);
      Level next = new Level();
      LiveLimit limit =
          descriptor.limit().map(said -> live(said, descriptor.traits())).orElse(null);
      level.add(descriptor, new Branch(limit, varies(descriptor), next));
      descriptor.descriptors().forEach(inner -> plant(next, inner));
      way.removeLast();
    }

    private LiveLimit live(EnvoyLimit said, EnvoyDescriptor.Traits traits) {
      String id = ids.of(domain, List.copyOf(way));
      LiveLimit limit = new LiveLimit(id, said, traits, pool(id, said));
      limits.add(limit);
      if (example == null || !example.refusedSoon()) {
        ExampleQuestion.of(domain, List.copyOf(way))
            .filter(one -> example == null || one.refusedSoon())
            .ifPresent(one -> example = one);
      }
      return limit;
    }

    private @Nullable Pool pool(String id, EnvoyLimit said) {
      if (!(said.terms() instanceof EnvoyLimit.Counted counted)) {
        return null;
      }
      EnvoyLimit.Options options = counted.options();
      String subject =
          way.stream()
              .filter(EnvoyConfig::varies)
              .map(EnvoyDescriptor::key)
              .collect(Collectors.joining(","));
      return new Pool(id, id, slot, counted.limit(), options.countDenied())
          .about(subject)
          .onFail(options.onFail())
          .lending(LeaseBound.of(counted.limit(), options.accuracy().millionths()));
    }
  }

  private static boolean varies(EnvoyDescriptor descriptor) {
    return descriptor.value().isEmpty()
        || (descriptor.isPattern() && !descriptor.traits().shareThreshold());
  }

  /** The domain of this name. */
  Optional<LiveDomain> domain(String name) {
    return Optional.ofNullable(domains.get(name));
  }

  /** How many domains there are. */
  public int domains() {
    return domains.size();
  }

  /** A question that some limit answers, best one that soon is refused. */
  public Optional<ExampleQuestion> example() {
    return Optional.ofNullable(example);
  }

  /** All limits, in the order of the files. */
  public List<LiveLimit> limits() {
    return List.copyOf(limits);
  }
}
