package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request to Envoy's rate limit service, independent of its wire format. */
public record EnvoyRequest(String domain, List<Descriptor> descriptors) {
  /**
   * One descriptor of a request.
   *
   * @param hits the hits to count, at least 0; 0 only reads the limit
   * @param own a limit carried by the request, which replaces those of the files, or null
   */
  public record Descriptor(List<Entry> entries, long hits, @Nullable OwnLimit own) {}

  /** One entry of a descriptor. */
  public record Entry(String key, String value) {}

  /** A limit carried by a request. */
  public record OwnLimit(long requestsPerUnit, EnvoyUnit unit) {}
}
