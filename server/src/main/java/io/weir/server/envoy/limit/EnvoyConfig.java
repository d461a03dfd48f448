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

/** A compiled configuration: all its domains, immutable and replaced as a whole. */
public final class EnvoyConfig {
  /** A configuration without domains. */
  public static final EnvoyConfig EMPTY = of(List.of(), "");

  /**
   * The limit part of a pool's name. Limits of Weir's own rules have a name or an ordinal from 1
   * there, so the names of the two kinds never collide.
   */
  private static final String LIMIT_PART = "0";

  private final Map<String, CompiledDomain> domains = new HashMap<>();
  private final List<CompiledLimit> limits = new ArrayList<>();
  private @Nullable ExampleRequest example;

  private EnvoyConfig() {}

  /**
   * Compiles domains.
   *
   * @param prefix separates the counts from those of other users of the same store
   */
  public static EnvoyConfig of(List<EnvoyDomain> domains, String prefix) {
    EnvoyConfig config = new EnvoyConfig();
    LimitIds ids = new LimitIds();
    String slot = LIMIT_PART + (prefix.isEmpty() ? "" : LimitIds.name(prefix));
    for (EnvoyDomain domain : domains) {
      DescriptorLevel root = new DescriptorLevel();
      config.domains.put(domain.name(), new CompiledDomain(domain.name(), slot, root));
      DescriptorTreeBuilder builder = config.new DescriptorTreeBuilder(domain.name(), slot, ids);
      domain.descriptors().forEach(descriptor -> builder.add(root, descriptor));
    }
    return config;
  }

  /** Compiles the descriptors of one domain into a tree. */
  private final class DescriptorTreeBuilder {
    private final String domain;
    private final String slot;
    private final LimitIds ids;
    private final Deque<EnvoyDescriptor> path = new ArrayDeque<>();

    DescriptorTreeBuilder(String domain, String slot, LimitIds ids) {
      this.domain = domain;
      this.slot = slot;
      this.ids = ids;
    }

    /** Recursive: the nesting of files is bounded. */
    void add(DescriptorLevel level, EnvoyDescriptor descriptor) {
      path.addLast(descriptor);
      DescriptorLevel next = new DescriptorLevel();
      CompiledLimit limit =
          descriptor
              .limit()
              .map(definition -> compile(definition, descriptor.options()))
              .orElse(null);
      level.add(descriptor, new DescriptorNode(limit, varies(descriptor), next));
      descriptor.descriptors().forEach(inner -> add(next, inner));
      path.removeLast();
    }

    private CompiledLimit compile(
        EnvoyLimit definition, EnvoyDescriptor.DescriptorOptions options) {
      String id = ids.of(domain, List.copyOf(path));
      CompiledLimit limit = new CompiledLimit(id, definition, options, pool(id, definition));
      limits.add(limit);
      if (example == null || !example.refusedSoon()) {
        ExampleRequest.of(domain, List.copyOf(path))
            .filter(one -> example == null || one.refusedSoon())
            .ifPresent(one -> example = one);
      }
      return limit;
    }

    private @Nullable Pool pool(String id, EnvoyLimit definition) {
      if (!(definition.terms() instanceof EnvoyLimit.Counted counted)) {
        return null;
      }
      EnvoyLimit.LimitOptions options = counted.options();
      String subject =
          path.stream()
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
        || (descriptor.isPattern() && !descriptor.options().shareThreshold());
  }

  /** The domain of this name. */
  Optional<CompiledDomain> domain(String name) {
    return Optional.ofNullable(domains.get(name));
  }

  /** The number of domains. */
  public int domains() {
    return domains.size();
  }

  /** A request that matches some limit, preferably one that is soon refused. */
  public Optional<ExampleRequest> example() {
    return Optional.ofNullable(example);
  }

  /** All limits, in the order of the files. */
  public List<CompiledLimit> limits() {
    return List.copyOf(limits);
  }
}
