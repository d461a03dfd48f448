package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request to Envoy's rate limit service, free of its wire format. */
public record EnvoyRequest(String domain, List<Descriptor> descriptors) {
  /**
   * One descriptor of a request.
   *
   * @param hits what it counts for, at least 0; 0 looks
   * @param own a limit that the request brings along and that holds instead of any file, or null
   */
  public record Descriptor(List<Entry> entries, long hits, @Nullable OwnLimit own) {}

  /** One step of a descriptor. */
  public record Entry(String key, String value) {}

  /** A limit that a request brings along. */
  public record OwnLimit(long requestsPerUnit, EnvoyUnit unit) {}
}
