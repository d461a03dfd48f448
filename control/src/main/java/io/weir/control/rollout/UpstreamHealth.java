package io.weir.control.rollout;

import io.weir.control.store.Rollout;
import java.util.Optional;

/**
 * What a loosened limit protects: errors and latency of upstreams where the gateway sees them. A
 * complaint rolls the change back.
 */
@FunctionalInterface
public interface UpstreamHealth {
  /** For instances that see no upstream. */
  UpstreamHealth UNKNOWN = rollout -> Optional.empty();

  /**
   * What got worse since the rollout started, with numbers, such as {@code upstream orders: 5xx
   * 0.1% to 4.2%}; empty if nothing did.
   */
  Optional<String> complaint(Rollout rollout);
}
