package io.weir.server.envoy.limit;

import io.weir.limit.LeaseCap;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimit;
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

  private final Map<String, CompiledDomain> domains = new HashMap<>();
  private final List<CompiledLimit> limits = new ArrayList<>();
  private @Nullable ExampleRequest example;

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
      DescriptorLevel root = new DescriptorLevel();
      config.domains.put(domain.name(), new CompiledDomain(domain.name(), slot, root));
      DescriptorTreeBuilder planting = config.new DescriptorTreeBuilder(domain.name(), slot, ids);
      domain.descriptors().forEach(descriptor -> planting.add(root, descriptor));
    }
    return config;
  }

  /** Turns the descriptors of one domain into branches. */
  private final class DescriptorTreeBuilder {
    private final String domain;
    private final String slot;
    private final LimitIds ids;
    private final Deque<EnvoyDescriptor> way = new ArrayDeque<>();

    DescriptorTreeBuilder(String domain, String slot, LimitIds ids) {
      this.domain = domain;
      this.slot = slot;
      this.ids = ids;
    }

    /** Files are not nested deeply, so this may recurse. */
    void add(DescriptorLevel level, EnvoyDescriptor descriptor) {
      way.addLast(descriptor);
      DescriptorLevel next = new DescriptorLevel();
      CompiledLimit limit =
          descriptor.limit().map(said -> live(said, descriptor.traits())).orElse(null);
      level.add(descriptor, new DescriptorNode(limit, varies(descriptor), next));
      descriptor.descriptors().forEach(inner -> add(next, inner));
      way.removeLast();
    }

    private CompiledLimit live(EnvoyLimit said, EnvoyDescriptor.DescriptorOptions traits) {
      String id = ids.of(domain, List.copyOf(way));
      CompiledLimit limit = new CompiledLimit(id, said, traits, pool(id, said));
      limits.add(limit);
      if (example == null || !example.refusedSoon()) {
        ExampleRequest.of(domain, List.copyOf(way))
            .filter(one -> example == null || one.refusedSoon())
            .ifPresent(one -> example = one);
      }
      return limit;
    }

    private @Nullable Pool pool(String id, EnvoyLimit said) {
      if (!(said.terms() instanceof EnvoyLimit.Counted counted)) {
        return null;
      }
      EnvoyLimit.LimitOptions options = counted.options();
      String subject =
          way.stream()
              .filter(EnvoyConfig::varies)
              .map(EnvoyDescriptor::key)
              .collect(Collectors.joining(","));
      return new Pool(id, id, slot, counted.limit(), options.countDenied())
          .withDimension(subject)
          .onFail(options.onFail())
          .withLeaseCap(LeaseCap.of(counted.limit(), options.accuracy().millionths()));
    }
  }

  private static boolean varies(EnvoyDescriptor descriptor) {
    return descriptor.value().isEmpty()
        || (descriptor.isPattern() && !descriptor.traits().shareThreshold());
  }

  /** The domain of this name. */
  Optional<CompiledDomain> domain(String name) {
    return Optional.ofNullable(domains.get(name));
  }

  /** How many domains there are. */
  public int domains() {
    return domains.size();
  }

  /** A question that some limit answers, best one that soon is refused. */
  public Optional<ExampleRequest> example() {
    return Optional.ofNullable(example);
  }

  /** All limits, in the order of the files. */
  public List<CompiledLimit> limits() {
    return List.copyOf(limits);
  }
}
