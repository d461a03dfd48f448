package io.weir.rules.envoy;

import java.util.List;

/** All descriptors of one domain, in the order of the files. */
public record EnvoyDomain(String name, List<EnvoyDescriptor> descriptors) {
  /** The domain whose descriptors are matched against Weir's own rules. */
  public static final String OWN_RULES = "weir";

  public EnvoyDomain {
    descriptors = List.copyOf(descriptors);
  }
}
