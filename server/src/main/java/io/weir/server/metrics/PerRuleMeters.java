package io.weir.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The meters that exist once per rule; those of removed rules are removed too. They are kept here,
 * because a lookup in the registry scans all meters.
 */
public final class PerRuleMeters {
  private final MeterRegistry registry;
  private final Map<String, List<Meter>> shown = new HashMap<>();

  PerRuleMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Registers meters for new rules, and removes those of rules that are gone.
   *
   * @param show registers the meters of a new rule
   */
  public synchronized void rules(Iterable<String> ids, Function<String, List<Meter>> show) {
    Map<String, List<Meter>> gone = new HashMap<>(shown);
    for (String id : ids) {
      gone.remove(id);
      shown.computeIfAbsent(id, show);
    }
    gone.forEach(
        (id, meters) -> {
          meters.forEach(registry::remove);
          shown.remove(id);
        });
  }
}
