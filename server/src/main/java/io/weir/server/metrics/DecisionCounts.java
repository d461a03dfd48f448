package io.weir.server.metrics;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The decisions of a rule, counted by outcome. */
record DecisionCounts(Map<Outcome, LongAdder> byOutcome) {
  /** The outcome of a call under a rule. */
  enum Outcome {
    ALLOWED,
    DENIED,
    SHADOW_DENIED,
    DEGRADED_ALLOWED,
    DEGRADED_DENIED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static DecisionCounts zero() {
    Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      counts.put(outcome, new LongAdder());
    }
    return new DecisionCounts(counts);
  }

  LongAdder of(Outcome outcome) {
    return Objects.requireNonNull(byOutcome.get(outcome));
  }

  long sum(Outcome outcome) {
    return of(outcome).sum();
  }
}
