package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request that matches some limit, shown at startup to try out.
 *
 * @param refusedSoon whether repeating it by hand exceeds the limit
 */
public record ExampleRequest(EnvoyRequest request, boolean refusedSoon) {
  /** Requests that a user can send by hand before a unit longer than a second ends. */
  private static final long MAX_CALLS_BY_HAND = 20;

  /** The request that matches the last of these descriptors; empty if that one never refuses. */
  static Optional<ExampleRequest> of(String domain, List<EnvoyDescriptor> path) {
    EnvoyDescriptor last = path.get(path.size() - 1);
    boolean refuses =
        last.limit().isPresent()
            && last.limit().get().terms() instanceof EnvoyLimit.Counted
            && !last.options().shadow()
            && !last.options().quota();
    if (!refuses) {
      return Optional.empty();
    }
    List<EnvoyRequest.Entry> entries = new ArrayList<>();
    path.forEach(step -> entries.add(new EnvoyRequest.Entry(step.key(), value(step))));
    EnvoyLimit.Counted counted = (EnvoyLimit.Counted) last.limit().get().terms();
    boolean refusedSoon =
        counted.requestsPerUnit() <= MAX_CALLS_BY_HAND && counted.unit() != EnvoyUnit.SECOND;
    return Optional.of(
        new ExampleRequest(
            new EnvoyRequest(domain, List.of(new EnvoyRequest.Descriptor(entries, 1, null))),
            refusedSoon));
  }

  private static String value(EnvoyDescriptor step) {
    if (step.value().isEmpty()) {
      return step.key().equals("remote_address") ? "192.0.2.1" : "1";
    }
    return step.value().replace("*", "1");
  }
}
