package io.weir.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Numbers that are shown for each rule that there is, and for no other. They are kept here, as to
 * find one in the registry is to look at all that are there.
 */
public final class PerRuleMeters {
  private final MeterRegistry registry;
  private final Map<String, List<Meter>> shown = new HashMap<>();

  PerRuleMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Shows these rules and no others.
   *
   * @param show shows one that was not there before
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
