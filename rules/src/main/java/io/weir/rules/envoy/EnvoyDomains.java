package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.List;

/** All domains of a file or folder, in the order of the files. */
public record EnvoyDomains(List<EnvoyDomain> domains) {
  /** No domain at all. */
  public static final EnvoyDomains EMPTY = new EnvoyDomains(List.of());

  public EnvoyDomains {
    domains = List.copyOf(domains);
  }

  /** The limits of all descriptors. */
  public List<EnvoyLimit> limits() {
    List<EnvoyLimit> limits = new ArrayList<>();
    domains.forEach(domain -> collect(domain.descriptors(), limits));
    return limits;
  }

  /** The reader bounds how deeply descriptors are nested, so this may recurse. */
  private static void collect(List<EnvoyDescriptor> descriptors, List<EnvoyLimit> limits) {
    for (EnvoyDescriptor descriptor : descriptors) {
      descriptor.limit().ifPresent(limits::add);
      collect(descriptor.descriptors(), limits);
    }
  }
}
